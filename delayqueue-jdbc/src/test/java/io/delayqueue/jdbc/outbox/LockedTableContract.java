package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.template.OutboxState;
import io.delayqueue.template.OutboxState.Content;
import io.delayqueue.template.OutboxState.Unusable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Another session locks the table. Where the lock does not end, the time-out of the database ends the relay's statement. */
abstract class LockedTableContract extends OutboxTest {

    /** Locks the table, or the rows in it, until the connection is closed. */
    abstract String lock();

    @Test
    void relayStopsWaitingForALockAndReportsTheTable() throws SQLException {
        OutboxNode node = node();
        node.place(message("a"));
        try (Connection other = database.unpooled().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(lock());

            node.relay.run();
            node.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(12));

            assertThat(node.outbox.state())
                    .asInstanceOf(InstanceOfAssertFactories.type(Unusable.class))
                    .satisfies(state -> {
                        assertThat(state.table()).isEqualTo("delayqueue_outbox");
                        assertThat(state.time()).isEqualTo(Duration.ofSeconds(12));
                        assertThat(state.problem()).contains("may have locked the table");
                        assertThat(state.failure()).isNotBlank();
                    });
            node.relay.run();
            assertThat(node.outbox.state()).isInstanceOf(Unusable.class);
            other.rollback();
        }

        node.relay.run();

        assertThat(node.stored()).isZero();
        OutboxState after = node.outbox.state();
        assertThat(after).isEqualTo(new Content(0, Duration.ZERO, 0));
    }
}
