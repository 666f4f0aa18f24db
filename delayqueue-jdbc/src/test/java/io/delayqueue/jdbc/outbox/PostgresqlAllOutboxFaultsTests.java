package io.delayqueue.jdbc.outbox;

import org.junit.jupiter.api.Tag;

/** All faults. */
@Tag("soak")
class PostgresqlAllOutboxFaultsTests extends PostgresqlOutboxFaultTests {

    @Override
    int step() {
        return 1;
    }
}
