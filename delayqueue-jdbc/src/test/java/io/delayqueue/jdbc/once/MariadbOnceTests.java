package io.delayqueue.jdbc.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.jdbc.once.HandledMessages.Keyed;
import io.delayqueue.listener.Delivery;
import io.delayqueue.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Listeners with once on MariaDB, in a database of their own that does not distinguish upper and lower case. */
@RequiresDatabase(RequiresDatabase.Kind.MARIADB)
class MariadbOnceTests extends OnceContract {

    /** The clock of the database stands in 2001. */
    @Test
    void rowsHaveTheTimeOfTheDatabase() {
        OnceDatabase slow = newDatabase("&sessionVariables=timestamp=1000000000");
        HandledMessages table =
                new HandledMessages(new DriverManagerDataSource(slow.url(), slow.user(), ""), "delayqueue_handled");
        Delivery delivery = mock(Delivery.class);
        when(delivery.topic()).thenReturn("t");
        when(delivery.id()).thenReturn("m");
        when(delivery.sendId()).thenReturn("-");

        table.insert("l", List.of(Keyed.of(delivery)));

        assertThat(slow.jdbc().queryForObject("select handled_at from delayqueue_handled", Long.class))
                .isEqualTo(1_000_000_000_000L);
        assertThat(table.deleteOlderThan(Duration.ofMillis(1))).isZero();
        slow.jdbc().update("update delayqueue_handled set handled_at = handled_at - 2");
        assertThat(table.deleteOlderThan(Duration.ofMillis(1))).isOne();
    }

    @Override
    OnceDatabase newDatabase() {
        return newDatabase("");
    }

    private static OnceDatabase newDatabase(String properties) {
        TestDatabase server = Databases.maria();
        String database = "d" + UUID.randomUUID().toString().replace("-", "");
        new JdbcTemplate(new DriverManagerDataSource(server.url(), server.user(), ""))
                .execute("create database " + database + " character set utf8mb4 collate utf8mb4_general_ci");
        return OnceDatabase.create(
                server.url().replace("/delayqueue?", "/" + database + "?") + properties,
                server.user(),
                server.platform());
    }
}
