package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testing.TestDatabase;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class H2LockedTableTests extends LockedTableContract {

    @Override
    TestDatabase database() {
        return new ShortLocks();
    }

    /** H2 whose statements wait for a lock for a short time only. */
    private record ShortLocks() implements TestDatabase {

        @Override
        public String platform() {
            return "h2";
        }

        @Override
        public String url() {
            return "jdbc:h2:mem:H2LockedTableTests;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10";
        }

        @Override
        public String user() {
            return "sa";
        }
    }

    @Override
    String lock() {
        return "select * from delayqueue_outbox for update";
    }

    /** H2 stores the time-out of a statement in its connection. */
    @Test
    void connectionsOfThePoolKeepNoTimeOutOfTheRelay() {
        OutboxNode node = node();
        node.outbox.close();
        node.place(message("a"));

        node.drain();

        assertThat(node.jdbc.execute(Statement::getQueryTimeout)).isZero();
    }
}
