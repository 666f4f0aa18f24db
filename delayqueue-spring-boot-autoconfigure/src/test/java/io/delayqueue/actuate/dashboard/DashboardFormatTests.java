package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** Numbers as people read them. */
@DashboardTest
@TestPropertySource(properties = "delayqueue.namespace=dashboard-formats")
class DashboardFormatTests {

    private static final String CALL = "const [name, value, done] = arguments;"
            + "import(document.querySelector('script').src.replace('app.js', 'format.js'))"
            + ".then((module) => done(module[name](value)), (error) => done(String(error)))";

    @LocalServerPort
    private int port;

    private Browser browser;

    @BeforeEach
    void openPage(Browser browser) {
        this.browser = browser;
        if (!browser.driver().getCurrentUrl().contains(":" + port + "/")) {
            new DashboardPage(browser, port).open("");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0,0 ms",
        "999,999 ms",
        "1000,1 s",
        "59999,59 s",
        "60000,1 m",
        "192000,3 m 12 s",
        "7500000,2 h 5 m",
        "3600000,1 h",
        "273600000,3 d 4 h",
        "864000000000,'10,000 d'"
    })
    void spanHasTheTwoUnitsThatMatter(long millis, String text) {
        assertThat(browser.runAsync(CALL, "span", millis)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0,0 B", "1023,'1,023 B'", "1024,1 KiB", "8400,8.2 KiB", "1048576,1 MiB", "5368709120,5 GiB"})
    void sizeHasAUnit(long bytes, String text) {
        assertThat(browser.runAsync(CALL, "bytes", bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @MethodSource
    void jsonIsIndentedTokenByToken(String json, String text) {
        assertThat(browser.runAsync(CALL, "indented", json)).isEqualTo(text);
    }

    static Stream<Arguments> jsonIsIndentedTokenByToken() {
        return Stream.of(
                Arguments.of("{\"a\":24.50,\"b\":[1,2]}", "{\n  \"a\": 24.50,\n  \"b\": [\n    1,\n    2\n  ]\n}"),
                Arguments.of("{\"a\":{},\"b\":[]}", "{\n  \"a\": {},\n  \"b\": []\n}"),
                Arguments.of("\"a{,:}\\\"b\"", "\"a{,:}\\\"b\""),
                Arguments.of("12345678901234567890", "12345678901234567890"),
                Arguments.of("{\"half", "{\"half"),
                Arguments.of("just text", "just text"));
    }
}
