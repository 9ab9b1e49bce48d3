"""The plan: settings, methods, jobs and the configuration, before any job runs."""
