package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Search by header, and the trace of a message. */
class DashboardSearchTests extends DashboardScriptTest {

    /** What the modules find in the page when they are loaded. */
    private static final String PAGE = """
            const element = { addEventListener() {}, content: '', append() {} };
            globalThis.document = { ...element, getElementById: () => element, querySelector: () => element };
            """;

    @ParameterizedTest
    @CsvSource({
        "tenant,true",
        "tenant=acme,true",
        "'tenant = acme',true",
        "tenant=acm,false",
        "tenant=,false",
        "formula=a=b,true",
        "constructor,false",
        "other,false"
    })
    void headerIsFoundByItsNameOrItsNameAndValue(String wanted, boolean found) {
        assertThat(scripts.run(
                                PAGE
                                        + "const { hasHeader } = await import('./search.js'); return hasHeader(...arguments);",
                                Map.of("tenant", "acme", "formula", "a=b"),
                                wanted)
                        .asBoolean())
                .isEqualTo(found);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    traceparent | 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 | 0af7651916cd43dd8448eb211c80319c
                    b3 | 80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1 | 80f198ee56343ba864fe8b2a57d3eff7
                    b3 | 64fe8b2a57d3eff7-e457b5a2e4d86bd1 | 64fe8b2a57d3eff7
                    traceparent | javascript:alert(1) | null
                    other | 64fe8b2a57d3eff7-e457b5a2e4d86bd1 | null
                    """)
    void traceIsThatOfTheSender(String header, String value, String trace) {
        assertThat(scripts.run(
                                PAGE + "const { traceId } = await import('./course.js');"
                                        + " return String(traceId(arguments[0]));",
                                Map.of(header, value))
                        .asString())
                .isEqualTo(trace);
    }
}
