package io.delayqueue.autoconfigure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.jdbc.database.H2Database;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The script that creates the tables, when it fails. */
@ExtendWith(OutputCaptureExtension.class)
class SchemaInitializerTests {

    private final String url = new H2Database(UUID.randomUUID().toString()).url();
    private final DataSource administrator = new DriverManagerDataSource(url, "sa", "");

    /** A user who must not create tables. */
    private DataSource user() {
        JdbcTemplate jdbc = new JdbcTemplate(administrator);
        jdbc.execute("create user application password ''");
        jdbc.execute("grant select, insert, update, delete on schema public to application");
        return new DriverManagerDataSource(url.substring(0, url.indexOf(';')), "application", "");
    }

    private static boolean initialize(DataSource dataSource, DatabaseInitializationMode mode) {
        return new SchemaInitializer(dataSource, mode).initializeDatabase();
    }

    @Test
    void theDatabasesOwnErrorFailsTheStart() {
        DataSource user = user();

        assertThatThrownBy(() -> initialize(user, DatabaseInitializationMode.ALWAYS))
                .isInstanceOfSatisfying(StartFailedException.class, failure -> {
                    assertThat(failure)
                            .hasMessageStartingWith(
                                    "The script io/delayqueue/jdbc/schema-h2.sql of delayqueue-jdbc failed:"
                                            + " Not enough rights for object \"PUBLIC\"")
                            .hasMessageContaining("Its statement: create table if not exists delayqueue_outbox ( seq");
                    assertThat(failure.action()).contains("delayqueue.outbox.initialize-schema=never");
                });
    }

    @Test
    void aUserMayUseTablesThatAnotherOneCreated(CapturedOutput output) {
        initialize(administrator, DatabaseInitializationMode.ALWAYS);

        initialize(user(), DatabaseInitializationMode.ALWAYS);

        assertThat(output).contains("Not enough rights", "The tables exist, so they are used as they are");
    }

    /** There is no MySQL for tests. MariaDB's long tests run its script. */
    @Test
    void theScriptForMysqlIsThatForMariadb() {
        assertThat(getClass().getResourceAsStream("/io/delayqueue/jdbc/schema-mysql.sql"))
                .hasSameContentAs(getClass().getResourceAsStream("/io/delayqueue/jdbc/schema-mariadb.sql"));
    }

    @Test
    void anUnsupportedDatabaseIsNamed() {
        DataSource other = new DelegatingDataSource(administrator) {
            @Override
            public Connection getConnection() throws SQLException {
                return replacing(super.getConnection(), Connection.class);
            }
        };

        assertThatThrownBy(() -> initialize(other, DatabaseInitializationMode.ALWAYS))
                .isInstanceOf(StartFailedException.class)
                .hasMessage("delayqueue-jdbc supports PostgreSQL, MySQL, MariaDB, Oracle, SQL Server and H2, but the"
                        + " database is HSQL Database Engine.");
        assertThat(initialize(other, DatabaseInitializationMode.EMBEDDED)).isFalse();
    }

    private static <T> T replacing(T target, Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
                    if (method.getName().equals("getDatabaseProductName")) {
                        return "HSQL Database Engine";
                    }
                    if (method.getName().equals("getURL")) {
                        return "jdbc:hsqldb:mem:test";
                    }
                    Object result = method.invoke(target, values);
                    return result instanceof DatabaseMetaData data ? replacing(data, DatabaseMetaData.class) : result;
                }));
    }
}
