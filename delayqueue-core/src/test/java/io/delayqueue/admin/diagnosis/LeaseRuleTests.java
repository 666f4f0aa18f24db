package io.delayqueue.admin.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.LimitStatus;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.coordination.LeaseHolder;
import io.delayqueue.message.Counts;
import io.delayqueue.message.TopicLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When holders of leases are reported, and what is said of them. */
class LeaseRuleTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final QueueDiagnosis diagnosis = Diagnoses.diagnosis(() -> NOW);
    private final Nodes nodes = new Nodes(NOW, List.of(Diagnoses.node("shop-1", NOW)), List.of());

    private static LeaseHolder client(String name, long leases, int oldestSeconds, int usualMillis) {
        return new LeaseHolder(
                "mail",
                name,
                null,
                null,
                leases,
                Duration.ofSeconds(oldestSeconds),
                "m-1",
                Duration.ofMillis(usualMillis));
    }

    private static LeaseHolder application(String node, String host, long leases) {
        return new LeaseHolder("mail", null, node, host, leases, Duration.ofMinutes(6), "m-2", Duration.ZERO);
    }

    private List<Finding> found(long ready, long leased, LeaseHolder... holders) {
        return found(ready, leased, null, holders);
    }

    private List<Finding> found(long ready, long leased, @Nullable Integer maxConcurrent, LeaseHolder... holders) {
        TopicLimits limits = TopicLimits.of(maxConcurrent, null, null, null, null);
        TopicStatus topic = TopicStatusBuilder.topic("mail")
                .counts(Counts.of(0, ready, 0, leased, 0, 0, Duration.ZERO))
                .limits(
                        maxConcurrent == null
                                ? null
                                : new LimitStatus(limits, null, limits, leased, false, null, null, null, null, null))
                .build();
        return diagnosis.diagnose(List.of(topic), nodes, List.of(), Arrays.asList(holders)).all().stream()
                .filter(each -> each.kind() == Kind.LEASES)
                .toList();
    }

    @Test
    void aClientHoldsMostLeasesWhileMessagesAreReady() {
        assertThat(found(5, 60, client("importer", 40, 180, 2_000)))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.level()).isEqualTo(Level.CRITICAL);
                    assertThat(finding.topics()).containsExactly("mail");
                    assertThat(finding.node()).isNull();
                    assertThat(finding.text())
                            .isEqualTo("HTTP client importer holds 40 leases for much longer than usual, the oldest for"
                                    + " 3 min with message m-1.");
                });
    }

    @Test
    void itIsAWarningIfOthersContinue() {
        LeaseHolder importer = client("importer", 40, 180, 2_000);
        assertThat(found(0, 40, importer)).extracting(Finding::level).containsExactly(Level.WARNING);
        assertThat(found(5, 80, importer)).extracting(Finding::level).containsExactly(Level.WARNING);
        assertThat(found(5, 79, importer)).extracting(Finding::level).containsExactly(Level.CRITICAL);
    }

    @Test
    void itIsCriticalIfTheLimitOfTheTopicIsUsed() {
        LeaseHolder importer = client("importer", 10, 180, 2_000);
        assertThat(found(5, 40, 10, importer)).extracting(Finding::level).containsExactly(Level.CRITICAL);
        assertThat(found(5, 40, 11, importer)).extracting(Finding::level).containsExactly(Level.WARNING);
        assertThat(found(0, 40, 10, importer)).extracting(Finding::level).containsExactly(Level.WARNING);
    }

    @Test
    void aClientThatIsUsuallySlowIsNoFinding() {
        assertThat(found(5, 40, client("importer", 40, 180, 18_000))).isEmpty();
        assertThat(found(5, 40, client("importer", 40, 181, 18_000))).hasSize(1);
        assertThat(found(5, 40, client("importer", 40, 30, 1))).isEmpty();
        assertThat(found(5, 40, client("importer", 40, 31, 1))).hasSize(1);
    }

    @Test
    void unknownUsualTimeNeedsFiveMinutes() {
        assertThat(found(5, 40, client("importer", 40, 300, 0))).isEmpty();
        assertThat(found(5, 40, client("importer", 40, 301, 0))).hasSize(1);
    }

    @Test
    void anApplicationIsNamedByItsHost() {
        assertThat(found(0, 1, application("id-of-shop-1", "shop-1", 1)))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.node()).isEqualTo("shop-1");
                    assertThat(finding.text())
                            .isEqualTo("The application on shop-1 holds a lease for much longer than usual, for 6 min"
                                    + " with message m-2.");
                });
        assertThat(found(0, 1, application("gone", "shop-2", 1)))
                .extracting(Finding::node)
                .containsOnlyNulls();
    }

    @Test
    void severalHoldersAreOneFinding() {
        LeaseHolder first = client("importer", 2, 400, 2_000);
        LeaseHolder brief = client("brief", 99, 29, 2_000);
        assertThat(found(0, 4, first, client("audit", 1, 60, 2_000), brief))
                .extracting(Finding::text)
                .containsExactly("HTTP client importer holds 2 leases for much longer than usual, the oldest for 6 min"
                        + " with message m-1, and 1 more does.");
        assertThat(found(0, 4, first, client("audit", 1, 60, 2_000), application("id-of-shop-1", "shop-1", 1)))
                .extracting(Finding::text)
                .singleElement()
                .asString()
                .endsWith(", and 2 more do.");
    }
}
