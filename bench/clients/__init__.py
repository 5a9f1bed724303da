"""Outside clients on our server: published programs of other people, in both eras, over pipes and HTTP."""
