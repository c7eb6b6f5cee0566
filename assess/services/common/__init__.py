"""What every service uses: access, errors, files, bulk rows."""
