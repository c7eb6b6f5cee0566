"""Campaigns, accounts, members and topics."""
