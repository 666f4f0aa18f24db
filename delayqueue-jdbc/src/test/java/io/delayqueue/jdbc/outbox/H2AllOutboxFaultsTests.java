package io.delayqueue.jdbc.outbox;

import org.junit.jupiter.api.Tag;

/** All faults. */
@Tag("long")
@Tag("jdbc")
class H2AllOutboxFaultsTests extends OutboxFaultContract {}
