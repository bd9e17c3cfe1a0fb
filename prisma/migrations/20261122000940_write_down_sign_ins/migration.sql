-- Signing in to the console and out of it is in the audit log, where it does not come over an API.
alter type posthorn.audit_door add value 'console' before 'system';
