"""The steps of a campaign, one function each. They know rows and the database, not requests or workers."""
