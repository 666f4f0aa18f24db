-- The tables of delayqueue-jdbc. Times are milliseconds since 1970 by the database's clock.
-- A row of the outbox is a SEND or a CANCEL, which has no envelope.
create table if not exists delayqueue_outbox (
    seq bigint not null auto_increment primary key,
    kind varchar(16) not null,
    topic varchar(128) not null,
    message_id varchar(256) not null,
    due_ms bigint not null,
    relative_due smallint not null,
    longest_ms bigint not null,
    on_duplicate varchar(16) not null,
    durability varchar(64) not null,
    nonce varchar(64) not null,
    remember_ms bigint not null,
    envelope longblob,
    stored_at bigint not null,
    status smallint not null,
    reason varchar(1000),
    index delayqueue_outbox_status (status, seq),
    index delayqueue_outbox_id (topic, message_id, seq)
) engine = InnoDB character set utf8mb4 collate utf8mb4_bin;

create table if not exists delayqueue_handled (
    message_key varchar(40) not null primary key,
    listener varchar(255) not null,
    topic varchar(256) not null,
    message_id varchar(256) not null,
    send_id varchar(80) not null,
    handled_at bigint not null,
    index delayqueue_handled_at (handled_at)
) character set utf8mb4;
