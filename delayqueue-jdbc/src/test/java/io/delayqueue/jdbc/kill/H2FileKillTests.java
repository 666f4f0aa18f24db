package io.delayqueue.jdbc.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.testing.ServerProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A JVM commits to a file of H2 with the URL that docs/transactions.md requires, until it is killed. */
@Tag("long")
@Tag("jdbc")
class H2FileKillTests {

    private static final String URL = "jdbc:h2:file:%s/orders;WRITE_DELAY=0";

    private static JdbcTemplate open(String directory) {
        return new JdbcTemplate(new SingleConnectionDataSource(URL.formatted(directory), "sa", "", true));
    }

    public static void main(String[] arguments) {
        Journal journal = new Journal(Path.of(arguments[0], "journal"));
        JdbcTemplate jdbc = open(arguments[0]);
        jdbc.execute("create table orders (id int)");
        for (int i = 0; true; i++) {
            jdbc.update("insert into orders (id) values (?)", i);
            journal.write(Journal.Entry.COMMITTED, String.valueOf(i));
        }
    }

    @Test
    void aKillLosesNoCommit(@TempDir Path directory) {
        try (ServerProcess process =
                ServerProcess.java(directory, H2FileKillTests.class, List.of(directory.toString()))) {
            Journal journal = new Journal(directory.resolve("journal"));
            await().until(() -> journal.size() >= 1000);
            process.kill();

            assertThat(open(directory.toString()).queryForList("select id from orders", String.class))
                    .containsAll(journal.orders(Journal.Entry.COMMITTED));
        }
    }
}
