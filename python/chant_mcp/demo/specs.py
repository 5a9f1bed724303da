"""The specs of the sample project: a booking site for ferries, some weeks after its start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """One spec."""

    id: str
    status: str
    title: str
    text: str
    criteria: tuple[str, ...] = ()
    """Each with an `x ` in front when it is ticked; those of a completed spec all are."""
    depends_on: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    type: str = "code"
    further: str = ""
    """More lines of front matter."""


CHOSEN = "2026-02-09-002-s4p"
"""The spec that work begins with in the demo."""

WAITING = "2026-02-09-003-t8r"
"""A spec that waits for it."""

FAILING = "2026-02-10-003-h2x"
"""A spec whose agent is asked to fail."""

UNREADABLE = "2026-02-05-003-u0x"
"""A file whose front matter is no YAML."""

READY = ("2026-02-02-002-d7v.3", "2026-02-09-001-r6m", CHOSEN, "2026-02-10-001-z3b", FAILING)
"""What can be worked on at first, in the order of IDs."""

WORKED = tuple(sorted({*READY, "2026-02-02-002-d7v.4", WAITING} - {FAILING}))
"""What is completed when agents have worked on that and on what became ready."""

_DONE = ("Works on the staging server", "Covered by tests")

ARCHIVED = Sample(
    "2026-01-12-001-a2c",
    "completed",
    "Set up the project skeleton",
    "Create the package, the test runner and the workflow that runs it.",
    ("`make test` passes in a fresh checkout", "The workflow runs on every push"),
    labels=("setup",),
    files=("Makefile",),
    further="completed_at: 2026-01-12T15:20:00Z\n",
)
"""A spec that is archived."""

SPECS = (
    Sample(
        "2026-01-13-001-b9f",
        "completed",
        "Model sailings, ports and prices",
        "Describe what the timetable consists of, with units and time zones.",
        ("Sailings know their port of departure and arrival", "Prices are integers in cents"),
        depends_on=(ARCHIVED.id,),
        labels=("timetable",),
        files=("ferry/timetable.py",),
    ),
    Sample(
        "2026-01-13-002-k3w",
        "completed",
        "Import the timetable from the harbour's CSV",
        "The harbour sends a file every night. Read it, report rows that make no sense, keep the rest.",
        ("A row with an unknown port is reported with its line", "Importing twice changes nothing"),
        depends_on=("2026-01-13-001-b9f",),
        labels=("timetable", "import"),
        files=("ferry/importer.py",),
    ),
    Sample(
        "2026-01-15-001-m4d",
        "completed",
        "Search sailings by port and day",
        "Travellers pick two ports and a day and see what sails.",
        ("Results are in the order of departure", "An unknown port gives a clear message"),
        depends_on=("2026-01-13-001-b9f",),
        labels=("search",),
        files=("ferry/search.py",),
    ),
    Sample(
        "2026-01-16-001-e5t",
        "completed",
        "Write down how prices are computed",
        "Season, vehicle length and children's discount, with an example for each.",
        ("Each rule has an example with numbers",),
        labels=("docs",),
        files=("docs/prices.md",),
        type="documentation",
        further="tracks:\n- ferry/prices.py\n",
    ),
    Sample(
        "2026-01-19-001-g7n",
        "completed",
        "Compute the price of a booking",
        "Passengers, vehicle and season make the price; the rules are in `docs/prices.md`.",
        ("All examples of the document are tests", "A negative number of passengers is refused"),
        depends_on=("2026-01-16-001-e5t",),
        labels=("booking",),
        files=("ferry/prices.py",),
    ),
    Sample(
        "2026-01-20-001-h1q",
        "completed",
        "Hold seats while a traveller pays",
        "A hold lasts ten minutes. Two travellers never hold the last seat at once.",
        ("Holds end after ten minutes", "A test with two threads never sells a seat twice"),
        depends_on=("2026-01-13-001-b9f",),
        labels=("booking",),
        files=("ferry/holds.py",),
    ),
    Sample(
        "2026-01-22-001-x7m",
        "completed",
        "Let travellers sign in by mail",
        "No passwords: a link that works once and for fifteen minutes.",
        ("A link works once", "An expired link offers a new one"),
        labels=("account",),
        files=("ferry/signin.py",),
    ),
    Sample(
        "2026-01-23-001-n8s",
        "cancelled",
        "Let travellers sign in with a passport scan",
        "Dropped after the talk about privacy.",
        labels=("account",),
    ),
    Sample(
        "2026-01-26-001-c6y",
        "completed",
        "Find out which payment provider takes ferry operators",
        "Compare fees, refunds and how long a contract takes.",
        ("Three providers are compared in a table", "The recommendation names its reasons"),
        labels=("payment", "research"),
        files=("docs/payment.md",),
        type="research",
        further="informed_by:\n- docs/prices.md\norigin:\n- docs/prices.md\n",
    ),
    Sample(
        "2026-01-27-001-p2l",
        "in_progress",
        "Take payments by card",
        "Use the provider that `docs/payment.md` recommends; a payment confirms the hold.",
        (
            "x A test payment confirms a booking",
            "x A refused card leaves the hold as it was",
            "A payment that arrives twice is booked once",
            "Card numbers appear in no log",
        ),
        depends_on=("2026-01-26-001-c6y", "2026-01-20-001-h1q"),
        labels=("payment",),
        files=("ferry/payment.py",),
        further="branch: chant/2026-01-27-001-p2l\n",
    ),
    Sample(
        "2026-01-27-002-f3z",
        "blocked",
        "Refund cancelled bookings",
        "Within a day of booking in full, later less a fee.",
        ("Refunds follow the table in `docs/prices.md`", "Each refund is mailed to the traveller"),
        depends_on=("2026-01-27-001-p2l",),
        labels=("payment",),
        files=("ferry/refunds.py",),
    ),
    Sample(
        "2026-01-28-001-w9j",
        "failed",
        "Print boarding passes with a code",
        "A page of A6 with the code that the gate scans. The first try failed: the font was missing.",
        ("The gate's reader accepts the code", "x The pass fits A6"),
        depends_on=("2026-01-27-001-p2l",),
        labels=("gate",),
        files=("ferry/passes.py",),
    ),
    Sample(
        "2026-01-29-001-y5g",
        "needs_attention",
        "Warn when a sailing is nearly full",
        "Ninety percent is nearly full. A criterion was reworded while an agent worked on it.",
        ("x The warning appears at ninety percent", "The operator can change the number"),
        labels=("operator",),
        files=("ferry/alerts.py",),
    ),
    Sample(
        "2026-01-30-001-l0b",
        "paused",
        "Translate the site into Danish",
        "Paused until the texts are settled.",
        ("x All texts are in one catalogue", "The catalogue is complete in Danish"),
        labels=("texts",),
        files=("ferry/texts/da.po",),
    ),
    Sample(
        "2026-02-02-001-o4h",
        "ready",
        "Show the timetable without scripts",
        "Marked ready by hand after a review.",
        ("The page works with scripts turned off",),
        labels=("web",),
        files=("web/timetable.html",),
    ),
    Sample(
        "2026-02-02-002-d7v",
        "pending",
        "Give operators a page of their own",
        "A driver: its members are worked one after the other.",
        type="driver",
        labels=("operator",),
        further="members:\n" + "".join(f"- 2026-02-02-002-d7v.{number}\n" for number in range(1, 5)),
    ),
    Sample(
        "2026-02-02-002-d7v.1",
        "completed",
        "Let operators sign in with a key",
        "Operators use hardware keys; everything else is refused.",
        ("A key that is not registered is refused", "Each sign-in is recorded"),
        labels=("operator", "account"),
        files=("ferry/operators.py",),
    ),
    Sample(
        "2026-02-02-002-d7v.2",
        "completed",
        "List today's sailings with their bookings",
        "One line a sailing, the next one on top.",
        ("The list is refreshed without reloading", "Sailings of other operators are not shown"),
        labels=("operator",),
        files=("web/operator.html",),
    ),
    Sample(
        "2026-02-02-002-d7v.3",
        "pending",
        "Let operators cancel a sailing",
        "Everybody who booked is told by mail and offered the next sailing.",
        (
            "Every traveller gets one mail",
            "A cancelled sailing cannot be booked",
            "The cancellation can be undone for five minutes",
        ),
        labels=("operator",),
        files=("ferry/operators.py", "ferry/cancellations.py"),
    ),
    Sample(
        "2026-02-02-002-d7v.4",
        "pending",
        "Show operators what a week brought in",
        "Sums by day and by kind of ticket.",
        ("The sums agree with the payments to the cent",),
        labels=("operator",),
        files=("ferry/reports.py",),
    ),
    Sample(
        "2026-02-03-001-j8u",
        "completed",
        "Send booking confirmations by mail",
        "Text and calendar entry, in the traveller's language.",
        _DONE,
        depends_on=("2026-01-20-001-h1q",),
        labels=("mail",),
        files=("ferry/mail.py",),
    ),
    Sample(
        "2026-02-04-001-i2a",
        "pending",
        "Move the database to the new host",
        "Needs a window of an hour, and somebody's word for it.",
        ("A copy of yesterday was moved without loss", "The way back is written down"),
        labels=("operations",),
        files=("ops/move.md",),
        further="approval:\n  required: true\n  status: pending\n",
    ),
    Sample(
        "2026-02-05-001-s6e",
        "in_progress",
        "Import cancellations from the harbour's feed",
        "The feed is polled every minute; a gap is made up for.",
        ("x The feed is polled every minute", "A gap of an hour is made up for"),
        depends_on=("2026-01-13-002-k3w",),
        labels=("timetable", "import"),
        files=("ferry/feed.py",),
    ),
    Sample(
        "2026-02-05-004-q1n",
        "pending",
        "Improve the search page",
        "Make it better and faster, clean up as needed, etc.",
        depends_on=("2026-02-05-001-s6e",),
        labels=("search",),
    ),
    Sample(
        "2026-02-06-001-a7r",
        "pending",
        "Offer the next sailing when one is full",
        "The next three sailings with room, with their prices.",
        ("Only sailings with room are offered", "The price is the one of the sailing offered"),
        depends_on=("2026-01-29-001-y5g", "2026-01-15-001-m4d"),
        labels=("search", "booking"),
        files=("ferry/search.py",),
    ),
    Sample(
        "2026-02-06-002-v5k",
        "pending",
        "Rebuild the booking form",
        "Everything about the form at once.",
        tuple(f"Step {step} of the form is checked as it is filled in" for step in range(1, 13)),
        depends_on=("2026-02-05-004-q1n",),
        labels=("web", "booking"),
        files=(
            "web/form.html",
            "web/form.js",
            "web/form.css",
            "ferry/forms.py",
            "ferry/holds.py",
            "ferry/prices.py",
        ),
    ),
    Sample(
        "2026-02-09-001-r6m",
        "pending",
        "Round prices for children to ten cents",
        "See 2026-01-19-001-g7n for the rules.",
        ("The examples in `docs/prices.md` hold", "Adults' prices stay as they are"),
        labels=("booking",),
        files=("ferry/prices.py",),
    ),
    Sample(
        CHOSEN,
        "pending",
        "Mail travellers a day before they sail",
        "A reminder with the time, the gate and what to bring. One mail for each\n"
        "booking, in the traveller's language, at ten in the morning of the day before.",
        (
            "Each booking gets one mail",
            "The mail names time and gate",
            "Cancelled bookings get none",
            "Sending can be repeated without a second mail",
        ),
        depends_on=("2026-02-03-001-j8u",),
        labels=("mail",),
        files=("ferry/mail.py", "ferry/reminders.py"),
    ),
    Sample(
        WAITING,
        "pending",
        "Let travellers choose when they are reminded",
        "A day, three hours, or not at all.",
        ("The choice is kept in the account", "`Not at all` stops the reminders"),
        depends_on=(CHOSEN,),
        labels=("mail", "account"),
        files=("ferry/reminders.py",),
    ),
    Sample(
        "2026-02-10-001-z3b",
        "pending",
        "Count how often each search finds nothing",
        "Ports and day, no persons.",
        ("Counts are kept for thirty days", "No address or account is stored"),
        depends_on=("2026-01-15-001-m4d",),
        labels=("search",),
        files=("ferry/search.py",),
    ),
    Sample(
        "2026-02-10-002-g4c",
        "pending",
        "Take bicycles along",
        "A bicycle is a vehicle of no length with a price of its own.",
        ("A sailing has room for twenty bicycles",),
        depends_on=("2026-02-11-009-zzz",),
        labels=("booking",),
        files=("ferry/prices.py",),
    ),
    Sample(
        FAILING,
        "pending",
        "Keep the harbour's files for a year",
        "As they came, compressed, by day.",
        ("Files older than a year are gone", "A file can be read back byte for byte"),
        labels=("import", "operations", "demo:fail"),
        files=("ferry/importer.py",),
        type="task",
    ),
)
"""The active specs that can be read, in the order of IDs."""

UNREADABLE_TEXT = """\
---
type: code
status: pending
labels: [web, search
---

# Remember the last search

The bracket above is not closed; other specs are not affected.
"""
