package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.template.OutboxState;
import io.delayqueue.template.OutboxState.Content;
import io.delayqueue.template.OutboxState.Unusable;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.transaction.CannotCreateTransactionException;

/** When the table of the outbox counts as unusable, and why. */
class TableUseTests {

    private static final Content CONTENT = new Content(1, Duration.ofSeconds(3), 0);

    private Duration clock = Duration.ofSeconds(100);
    private final TableUse use = new TableUse("outbox", Duration.ofSeconds(5), () -> clock.toNanos());

    private void pass(int seconds) {
        clock = clock.plusSeconds(seconds);
    }

    private void fail(int seconds, RuntimeException cause) {
        try {
            use.calling(() -> {
                pass(seconds);
                throw cause;
            });
        } catch (RuntimeException e) {
            use.failed(e);
        }
    }

    private Unusable unusable() {
        OutboxState state = use.state();
        assertThat(state).isInstanceOf(Unusable.class);
        return (Unusable) state;
    }

    @Test
    void stateIsTheContentThatWasReadLast() {
        assertThat(use.state()).isNull();
        use.read(CONTENT);
        assertThat(use.state()).isEqualTo(CONTENT);
    }

    @Test
    void callThatDoesNotReturnIsAFailureAfterTheQueryTimeout() {
        use.read(CONTENT);
        use.calling(() -> {
            pass(4);
            assertThat(use.state()).isEqualTo(CONTENT);
            pass(1);
            assertThat(unusable().time()).isEqualTo(Duration.ofSeconds(5));
            pass(30);
            assertThat(unusable().time()).isEqualTo(Duration.ofSeconds(35));
            assertThat(unusable().problem()).startsWith("A call of the database has not returned.");
            assertThat(unusable().failure()).isNull();
        });
        assertThat(use.state()).isEqualTo(CONTENT);
    }

    @Test
    void timeThatRedisTakesIsNoneOfTheDatabase() {
        use.read(CONTENT);
        use.calling(() -> {
            pass(4);
            use.pausing(() -> {
                pass(60);
                assertThat(use.state()).isEqualTo(CONTENT);
                return true;
            });
            assertThat(use.state()).isEqualTo(CONTENT);
            pass(5);
            assertThat(unusable().time()).isEqualTo(Duration.ofSeconds(5));
        });
    }

    @Test
    void failureLastsFromItsFirstCallUntilARunSucceeds() {
        use.read(CONTENT);
        fail(5, new QueryTimeoutException("no"));
        assertThat(unusable().time()).isEqualTo(Duration.ofSeconds(5));
        pass(1);
        use.calling(() -> pass(1));
        fail(5, new QueryTimeoutException("no"));
        assertThat(unusable().time()).isEqualTo(Duration.ofSeconds(12));
        assertThat(use.succeeded()).isFalse();
        assertThat(unusable()).isNotNull();

        use.calling(() -> pass(1));
        assertThat(use.succeeded()).isTrue();

        assertThat(use.state()).isNull();
        assertThat(use.succeeded()).isFalse();
        fail(2, new QueryTimeoutException("no"));
        assertThat(unusable().time()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void problemNamesWhatToLookFor() {
        fail(0, new QueryTimeoutException("no"));
        assertThat(unusable().problem())
                .isEqualTo(
                        "A statement did not end within its time-out (delayqueue.outbox.query-timeout is 5 s). Another"
                                + " session may have locked the table.");
        fail(0, new CannotAcquireLockException("no"));
        assertThat(unusable().problem()).contains("locked");
        fail(0, new CannotCreateTransactionException("no"));
        assertThat(unusable().problem()).startsWith("There is no connection.");
        fail(0, new DataAccessResourceFailureException("no such column"));
        assertThat(unusable().problem()).startsWith("The database rejects a statement");
        assertThat(unusable().failure()).endsWith("DataAccessResourceFailureException: no such column");
    }
}
