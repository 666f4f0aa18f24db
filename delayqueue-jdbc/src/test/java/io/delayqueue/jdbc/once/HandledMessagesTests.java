package io.delayqueue.jdbc.once;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.database.H2Database;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

class HandledMessagesTests {

    private final H2Database database = new H2Database("handled");

    @Test
    void expiredRowsAreDeletedOnConnectionsThatDoNotCommitByThemselves() {
        try (HikariDataSource pool = new HikariDataSource();
                HikariDataSource other = database.open()) {
            pool.setJdbcUrl(database.url());
            pool.setUsername(database.user());
            pool.setAutoCommit(false);
            new ResourceDatabasePopulator(new ClassPathResource("io/delayqueue/jdbc/schema-h2.sql")).execute(other);
            JdbcTemplate jdbc = new JdbcTemplate(other);
            jdbc.update("insert into delayqueue_handled (message_key, listener, topic, message_id, send_id, handled_at)"
                    + " values ('k', 'l', 't', 'i', 's', 1)");

            int deleted = new HandledMessages(pool, "delayqueue_handled").deleteOlderThan(Duration.ofDays(1));

            assertThat(deleted).isEqualTo(1);
            assertThat(jdbc.queryForObject("select count(*) from delayqueue_handled", Long.class))
                    .isZero();
        }
    }
}
