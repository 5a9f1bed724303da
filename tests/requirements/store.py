"""Store: writing, the index, bad input (issues: Store, Index, Bad input)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    # Store: writing
    "store:write:replace_is_atomic_and_durable": Requirement(
        "A file is replaced by a synced temporary file, a rename and a sync of the folder.",
        "issue: Store; decisions 1",
    ),
    "store:write:crash_leaves_old_or_new": Requirement(
        "A crash at any moment leaves the old file or the new one, never a part.", "decisions 1"
    ),
    "store:write:taken_back_stays_so": Requirement(
        "A change of several files that was taken back, or done, is not carried out later, whatever of "
        "its record cannot be removed.",
        "decisions 1",
    ),
    "store:write:a_refusal_is_final": Requirement(
        "A change of several files that was refused is never carried out later, whichever write, rename or "
        "flush failed.",
        "issue: Refused means nothing happened 1",
    ),
    "store:write:undecided_is_told_until_settled": Requirement(
        "A change that a disk lets neither happen nor be taken back is reported as undecided, with its files,"
        " and so is each answer about them until it is settled.",
        "issue: Refused means nothing happened 1",
    ),
    "store:journal:the_whole_text_wins": Requirement(
        "Of a change that a crash interrupted a text that was emptied or damaged is never put in place of a"
        " whole one; the whole one wins, and what was found is reported.",
        "issue 43: Durable landings 3",
    ),
    "store:locks:a_fork_keeps_none": Requirement(
        "Processes that were forked while a thread edits keep no lock, so that edits go on in the parent and"
        " elsewhere.",
        "issue 43: Durable landings 4",
    ),
    "store:write:a_power_loss_takes_nothing_that_was_said": Requirement(
        "What was said to be done by a command is there after a loss of power at any moment, and the"
        " repository is whole, also with writes that were pending, in another order or torn.",
        "issue 43: Durable landings 1",
    ),
    "store:git:landings_are_flushed_in_order": Requirement(
        "Objects, then files and their folders, then the index, refs and receipts are flushed before a"
        " landing is said to be done.",
        "issue 43: Durable landings 1",
    ),
    "store:doctor:each_damage_is_named_and_repaired": Requirement(
        "`doctor --deep` names damage of receipts, refs, objects, journals, records, locks and specs, each"
        " with one repair, and repairs what can be repaired.",
        "issue 43: Durable landings 6",
    ),
    "store:recovery:an_emptied_spec_is_made_again": Requirement(
        "A spec without a byte that HEAD has whole is made again from there by the next recovery, which says"
        " so.",
        "issue 43: Durable landings 1",
    ),
    "store:journal:an_edit_after_a_crash_splits_nothing": Requirement(
        "A file that is edited between a crash and the next opening keeps its edit, and the other files of"
        " the change stay together: all or none.",
        "issue: Refused means nothing happened 2",
    ),
    "store:journal:nothing_is_seen_that_room_or_rules_refuse": Requirement(
        "No file of a change changes before all of it is written and all is asked that could refuse it.",
        "issue: Refused means nothing happened 3",
    ),
    "store:write:debris_is_swept_everywhere": Requirement(
        "What a dead process left in a folder goes when that is opened or written, whichever dialect it is"
        " of; files of other names stay.",
        "issue: Refused means nothing happened 5",
    ),
    "store:write:texts_wait_in_our_own_state": Requirement(
        "In a repository that has our state texts wait in it until they take their place, so that a crash"
        " leaves nothing that git shows.",
        "issue: Refused means nothing happened 5",
    ),
    "store:write:no_temporary_file_stays": Requirement(
        "A write that fails leaves no temporary file behind.", "issue: Store"
    ),
    "store:write:full_disk_loses_nothing": Requirement(
        "On a full disk a write gives a clear error and the old file stays whole.", "issue: Bad input"
    ),
    "store:write:every_failing_write_is_survived": Requirement(
        "Whichever write of a change fails (a file, its flush, a folder, a name): all of it or nothing is"
        " done, the error names what could not be written and why, and a later try succeeds.",
        "issue: Watch, recovery and torture",
    ),
    "store:write:read_only_folder_is_a_clear_error": Requirement(
        "In a read-only folder a write gives a clear error and changes nothing.", "issue: Bad input"
    ),
    "store:write:link_inside_the_project_is_followed": Requirement(
        "A link to a file inside the project stays a link; its target is replaced.", "decisions 2: Locks"
    ),
    "store:write:foreign_edit_is_never_overwritten": Requirement(
        "A file that another program changed between our read and our rename is not overwritten.",
        "decisions 2: Locks; reference chant 5.9 R, 8.2 W13",
    ),
    "store:write:half_saved_is_not_edited": Requirement(
        "A text that became empty or lost its end a moment ago is read again for a second, then not edited,"
        " with the reason; one that stays so is.",
        "issue: Refused means nothing happened, 8",
    ),
    "store:read:nothing_from_outside_the_root": Requirement(
        "A document is opened below the root in one step: what a link that appears meanwhile leads to is read"
        " only where it lies below the root, too.",
        "issue: Refused means nothing happened, 9",
    ),
    "store:write:nothing_outside_the_root": Requirement(
        "Documents are created, replaced, moved and removed through their folder, which was opened below the"
        " root: a link that takes its place meanwhile leads no write, move or removal out of it.",
        "issue: Refused means nothing happened, 9",
    ),
    "store:journal:what_was_set_aside_is_reported": Requirement(
        "A change of several files that recovery set aside is reported by the listings of all formats,"
        " `status`, `doctor` and the workspace, in every process, until a person removes what is kept of it.",
        "issue: Refused means nothing happened, 1 and 2",
    ),
    "store:vanished:is_reported": Requirement(
        "A folder of tickets, specs or features, the archive, a day of it or the folder of one feature that"
        " was there, as this process, the counter or git's index knows, and is gone, is a reported problem; a"
        " single document that is gone is none, and a plan that was read before says so when asked for.",
        "issue: Refused means nothing happened, 10",
    ),
    "store:vanished:no_number_comes_again": Requirement(
        "No ticket gets a number, and no spec the sequence of a day, that counter, index or the newest"
        " commit of any branch has.",
        "issue: Refused means nothing happened, 10",
    ),
    "store:poor:every_write_is_done": Requirement(
        "Every change is made where a file system has no locks (or none for handles that only read), no flush"
        " of folders, no second names or no kinds of renames; which promise is weaker is reported, and logged"
        " once for each folder.",
        "issue: Refused means nothing happened, 6",
    ),
    "store:poor:writers_take_turns": Requirement(
        "Without locks of the file system writers of one user take turns by lock files in their own state"
        " folder; that of a dead owner is taken over.",
        "issue: Refused means nothing happened, 6",
    ),
    "store:poor:state_without_rights": Requirement(
        "Where a file system keeps no rights of files, our own state lies in the user's own state folder, and"
        " is found there again; where that has none either, what needs state is refused and nothing changes.",
        "issue 43: point 2",
    ),
    "store:poor:state_after_a_remount": Requirement(
        "Where the numbers of files belong to the mount, our own state is known by its signature and path.",
        "issue 43: point 2",
    ),
    "store:poor:file_system_is_said": Requirement(
        "`doctor` says in one line what the file system was found to lack when something was first written;"
        " `status` says it where something is missing.",
        "issue 43: point 2",
    ),
    "store:lock:dies_with_its_process": Requirement(
        "A lock ends with the process that holds it, also after kill -9.", "issue: Store"
    ),
    "store:lock:writers_of_one_spec_lose_nothing": Requirement(
        "N processes appending to one spec at once lose none of the texts.", "issue: Store"
    ),
    "store:lock:edits_start_from_a_fresh_read": Requirement(
        "An edit reads the file inside the lock, not before it.", "issue: Store"
    ),
    "store:lock:two_projects_share_the_lock_of_a_document": Requirement(
        "Two servers that reach one document through different roots exclude each other.",
        "decisions 2: Locks",
    ),
    "store:journal:several_files_all_or_none": Requirement(
        "A change of several files that is not final is taken back as a whole at the next opening.",
        "decisions 2: Our own state",
    ),
    "store:state:lies_beside_git": Requirement(
        "Our own state lies in `<git common dir>/chant-mcp/`, without git in the user's own state folder,"
        " and never in a project's files.",
        "decisions 2: Our own state; decisions 6: What is believed",
    ),
    "store:state:records_carry_schema_and_unknown_keys": Requirement(
        "Every record of ours carries `schema: 1` and keeps unknown keys.",
        "decisions 2: Our own state",
        built=False,
    ),
    # Store: the index
    "store:index:write_before_the_call_is_seen": Requirement(
        "An edit made by any other process before the call is always seen.",
        "issue: Index; decisions 2: store/index.rs",
    ),
    "store:index:same_size_edit_at_once_is_seen": Requirement(
        "An edit of the same length right after a reading is seen.", "decisions 2: store/index.rs"
    ),
    "store:index:deleted_file_is_gone": Requirement(
        "A deleted spec is gone from the next answer.", "issue: Index"
    ),
    "store:index:renamed_file_has_its_new_id": Requirement(
        "A renamed spec appears under its new ID only.", "issue: Index"
    ),
    "store:index:replaced_file_is_read_again": Requirement(
        "A file replaced by a rename is read again, even with its old time and size.", "issue: Index"
    ),
    "store:index:truncated_file_is_survived": Requirement(
        "A truncated file is answered as it is now.", "issue: Index"
    ),
    "store:index:unreadable_file_becomes_a_problem": Requirement(
        "A file made unreadable becomes a problem, and a spec again when it is readable.", "issue: Index"
    ),
    "store:index:overflow_is_survived": Requirement(
        "After more changes than the event queue holds, the next answer is right.",
        "decisions 2: store/index.rs",
    ),
    "store:index:untrusted_file_systems_are_scanned": Requirement(
        "Where change events cannot be trusted, the stamps of all files are compared before each answer.",
        "decisions 2: store/index.rs",
    ),
    "store:index:only_changed_files_are_read": Requirement(
        "A repeated call reads only the files that changed.",
        "decisions 1; decisions 2: store/index.rs; reference chant 8.2 W20",
    ),
    "store:index:holds_at_100000_specs": Requirement("All this holds at 100,000 specs.", "issue: Index"),
    # Store: bad input
    "store:bad_input:ten_megabyte_spec": Requirement(
        "A spec of 10 MB is served, and its edit changes what it means to change.", "issue: Bad input"
    ),
    "store:bad_input:ten_thousand_keys": Requirement(
        "Front matter with 10,000 keys is read in reasonable time, or is a problem.", "issue: Bad input"
    ),
    "store:bad_input:yaml_alias_bomb": Requirement(
        "A YAML alias bomb becomes a problem record without exhausting memory.", "issue: Bad input"
    ),
    "store:bad_input:nul_bytes": Requirement(
        "A spec with NUL bytes gives a clear answer and loses nothing.", "issue: Bad input"
    ),
    "store:bad_input:invalid_utf8_file": Requirement(
        "A spec that is not UTF-8 is a problem record, is not edited and loses nothing.", "issue: Bad input"
    ),
    "store:bad_input:folder_named_like_a_spec": Requirement(
        "A folder named `x.md` is a problem record and disturbs no other spec.", "issue: Bad input"
    ),
    "store:bad_input:dangling_link": Requirement(
        "A dangling link in the specs folder is a problem record and disturbs no other spec.",
        "issue: Bad input",
    ),
    "store:descriptors:bounded": Requirement(
        "However many workspaces a process has open, the open files that it keeps for them are bounded, "
        "and what changes in any of them is seen.",
        "issue 26.2",
    ),
}
