package io.delayqueue.jdbc.once;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.testing.TestDatabase;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Listeners with once on MariaDB, in a database of their own that does not distinguish upper and lower case. */
@RequiresDatabase(RequiresDatabase.Kind.MARIADB)
class MariadbOnceTests extends OnceContract {

    @Override
    OnceDatabase newDatabase() {
        TestDatabase server = Databases.maria();
        String database = "d" + UUID.randomUUID().toString().replace("-", "");
        new JdbcTemplate(new DriverManagerDataSource(server.url(), server.user(), ""))
                .execute("create database " + database + " character set utf8mb4 collate utf8mb4_general_ci");
        return OnceDatabase.create(
                server.url().replace("/delayqueue?", "/" + database + "?"), server.user(), server.platform());
    }
}
