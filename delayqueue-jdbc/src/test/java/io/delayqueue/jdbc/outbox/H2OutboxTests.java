package io.delayqueue.jdbc.outbox;

class H2OutboxTests extends OutboxContract {}
