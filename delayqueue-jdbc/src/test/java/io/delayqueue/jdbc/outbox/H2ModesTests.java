package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.database.H2Database;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** H2 in each of its modes, in which it reads another dialect of SQL, and without automatic commits. */
class H2ModesTests extends OutboxTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "STRICT",
                "LEGACY",
                "DB2",
                "Derby",
                "HSQLDB",
                "MSSQLServer",
                "MariaDB",
                "MySQL",
                "Oracle",
                "PostgreSQL",
                "PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
            })
    void messagesOfCommitsArriveInEachMode(String mode) {
        database = new H2Database("modes;MODE=" + mode);
        database.reset();
        OutboxNode node = node();
        node.outbox.check();
        node.place(message("sent"));
        node.outbox.close();
        node.place(message("x", "relayed"));
        node.place(message("x", "later"));
        node.place(message("unreadable"));
        node.jdbc.update(
                "update delayqueue_outbox set topic = ' ' where seq = ?",
                node.rows().get(3));
        node.place(message("c", "cancelled"));
        node.cancel("c");

        node.drain();

        consumer.consume(TOPIC);
        assertThat(consumer.handled()).containsExactlyInAnyOrder("sent", "later");
        assertThat(node.outbox.table().content().setAside()).isEqualTo(1);
        node.jdbc.execute("shutdown");
    }

    @Test
    void rowsOfSentMessagesAreDeletedByAPoolThatDoesNotCommitByItself() {
        new H2Database("commits").reset();
        database = new H2Database("commits", false);
        OutboxNode node = node();
        node.place(message("a"));

        node.relay.run();

        try (HikariDataSource other = new H2Database("commits").open()) {
            assertThat(new JdbcTemplate(other).queryForList("select seq from delayqueue_outbox"))
                    .isEmpty();
        }
    }
}
