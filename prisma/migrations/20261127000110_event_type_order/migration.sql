-- Event types are listed in the same order in every database: by code points, not by the collation of the database.
alter table posthorn.event_types alter column name type text collate "C";
