package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.database.H2Database;
import io.delayqueue.testing.TestDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** A pool whose connections do not commit by themselves. */
class NoAutoCommitTests extends OutboxTest {

    @Override
    TestDatabase database() {
        return new WithoutAutoCommit(new H2Database("no-auto-commit"));
    }

    private record WithoutAutoCommit(TestDatabase database) implements TestDatabase {

        @Override
        public String platform() {
            return database.platform();
        }

        @Override
        public String url() {
            return database.url();
        }

        @Override
        public String user() {
            return database.user();
        }

        @Override
        public HikariDataSource open() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(url());
            pool.setUsername(user());
            pool.setAutoCommit(false);
            return pool;
        }

        @Override
        public void reset() {
            database.reset();
        }
    }

    @Test
    void rowsOfSentMessagesAreDeleted() {
        OutboxNode node = node();
        node.place(message("a"));

        node.relay.run();

        assertThat(rows()).isZero();
    }

    /** As another connection sees them. */
    private long rows() {
        try (HikariDataSource other = new H2Database("no-auto-commit").open()) {
            return new JdbcTemplate(other).queryForObject("select count(*) from delayqueue_outbox", Long.class);
        }
    }
}
