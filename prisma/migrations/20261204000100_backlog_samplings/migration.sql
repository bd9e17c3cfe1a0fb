-- When the backlogs were counted. `backlog_samples` has no row for a webhook without a backlog, so that a missing row said
-- both "none waited" and "nobody counted".

create table posthorn.backlog_samplings (
  sampled_at timestamptz primary key
);

insert into posthorn.backlog_samplings (sampled_at)
select distinct sampled_at from posthorn.backlog_samples;
