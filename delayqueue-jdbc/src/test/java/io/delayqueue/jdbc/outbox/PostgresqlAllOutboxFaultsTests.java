package io.delayqueue.jdbc.outbox;

import org.junit.jupiter.api.Tag;

/** All faults. */
@Tag("long")
@Tag("jdbc")
class PostgresqlAllOutboxFaultsTests extends PostgresqlOutboxFaultTests {

    @Override
    int step() {
        return 1;
    }
}
