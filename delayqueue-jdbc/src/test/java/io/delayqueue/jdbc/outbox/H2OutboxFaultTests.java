package io.delayqueue.jdbc.outbox;

class H2OutboxFaultTests extends OutboxFaultContract {

    /** A prime, so that each kind of fault is among them. {@link H2AllOutboxFaultsTests} tests them all. */
    @Override
    int step() {
        return 7;
    }
}
