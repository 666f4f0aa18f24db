-- The tables of delayqueue-jdbc. Times are milliseconds since 1970 by the database's clock.
-- A row of the outbox is a SEND or a CANCEL, which has no envelope.
create table delayqueue_outbox (
    seq bigint identity primary key,
    kind varchar(16) not null,
    topic nvarchar(128) collate Latin1_General_100_BIN2 not null,
    message_id nvarchar(256) collate Latin1_General_100_BIN2 not null,
    due_ms bigint not null,
    relative_due smallint not null,
    longest_ms bigint not null,
    on_duplicate varchar(16) not null,
    durability varchar(64) not null,
    nonce varchar(64) not null,
    remember_ms bigint not null,
    envelope varbinary(max),
    stored_at bigint not null,
    status smallint not null,
    reason nvarchar(1000)
);
create index delayqueue_outbox_status on delayqueue_outbox (status, seq);
create index delayqueue_outbox_id on delayqueue_outbox (topic, message_id, seq);

if object_id('delayqueue_handled') is null
create table delayqueue_handled (
    message_key varchar(40) not null primary key,
    listener nvarchar(255) not null,
    topic nvarchar(256) not null,
    message_id nvarchar(256) not null,
    send_id varchar(80) not null,
    handled_at bigint not null,
    index delayqueue_handled_at (handled_at)
);
