"""The command line, each command as a process, over real stores."""
