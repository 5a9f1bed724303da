"""What a release is beside its wheels (issue 23: point 11), and the wheels that are special."""

from requirements import Requirement

_SOURCE = "issue 23: point 11"

REQUIREMENTS: dict[str, Requirement] = {
    "distribution:registry:places_agree": Requirement(
        "`server.json` is made of the settings of the release: its name is that of the README's comment, its "
        "version that of the package, its description has at most 100 characters.",
        _SOURCE,
    ),
    "distribution:registry:needs_a_publisher": Requirement(
        "A release whose registry name has no publisher yet, or whose places differ, is not published: "
        "`python -m release --check` fails and says why.",
        _SOURCE,
    ),
    "distribution:bundle:starts_by_its_manifest": Requirement(
        "The bundle for desktop hosts, unpacked, starts the server by the command that its manifest names, "
        "on the folder that the user chose.",
        _SOURCE,
    ),
    "distribution:bundle:manifest_is_checked": Requirement(
        "A manifest that hosts would refuse is named with what it lacks, and no bundle is written.", _SOURCE
    ),
    "distribution:uvx:script_is_named_as_the_package": Requirement(
        "The package's script has the package's name, so that `uvx chant-mcp` starts the server.", _SOURCE
    ),
    "distribution:free_threading:wheel": Requirement(
        "A free-threaded interpreter has a wheel for itself alone: it leaves it without its lock, "
        "and threads that work at once get right answers.",
        "issue 26: point 4",
    ),
    "distribution:container:serves_with_a_health_check": Requirement(
        "The container serves over HTTP as another user than root, from pinned images; its health check "
        "passes while the server answers and fails when it does not.",
        _SOURCE,
    ),
}
