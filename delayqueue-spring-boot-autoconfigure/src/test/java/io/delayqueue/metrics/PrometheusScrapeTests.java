package io.delayqueue.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.diagnosis.Finding;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.CommitOutbox;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.Scrape;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The series that Prometheus reads. */
@EmbeddedRedis(dedicated = true)
class PrometheusScrapeTests extends MeterTest {

    private final RedisServerProcess redis;

    PrometheusScrapeTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    private Scrape scrape() {
        return Scrape.of(bean(PrometheusMeterRegistry.class).scrape());
    }

    @Test
    void eachMeterIsDocumentedAndHasItsTags() {
        start(redis, EachMeter.Listeners.class, NO_SAMPLES);
        EachMeter.in(application(), redis);
        Scrape scrape = scrape();

        // delayqueue-http tests its own
        for (DelayQueueMeters meter : EnumSet.range(DelayQueueMeters.MESSAGES, DelayQueueMeters.PERMITS_MAX)) {
            Set<String> keys = Arrays.stream(meter.getKeyNames())
                    .map(key -> key.asString())
                    .collect(Collectors.toCollection(TreeSet::new));
            String name = prometheusName(meter);
            assertThat(scrape.series().stream().filter(each -> each.name().equals(name)))
                    .as(name)
                    .isNotEmpty()
                    .allSatisfy(each -> assertThat(each.labels().keySet()).isEqualTo(keys));
        }
        Set<String> documented = Arrays.stream(DelayQueueMeters.values())
                .map(DelayQueueMeters::getName)
                .collect(Collectors.toSet());
        assertThat(registry().getMeters())
                .extracting(meter -> meter.getId().getName())
                .filteredOn(name -> name.startsWith("delayqueue"))
                .isSubsetOf(documented);
        assertThat(scrape.helps().entrySet())
                .filteredOn(help -> help.getKey().startsWith("delayqueue_"))
                .allSatisfy(
                        help -> assertThat(help.getValue()).as(help.getKey()).endsWith("."));
        assertThat(scrape.series()).as("topics may have any name").anySatisfy(series -> {
            assertThat(series.name()).isEqualTo("delayqueue_messages_acknowledged_total");
            assertThat(series.labels()).isEqualTo(Map.of("topic", EachMeter.ODD_TOPIC, "listener", "none"));
            assertThat(series.value()).isEqualTo(1);
        });
    }

    /** A gauge that fails is not a number. */
    @Test
    void scrapeShowsTheLastSampleWithoutRedis() {
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            start(proxy.port(), EachMeter.Listeners.class, NO_SAMPLES);
            delayQueue().send("waiting", "text", Duration.ofHours(1));
            sample(bean(TopicSampler.class));
            proxy.refuse();

            Scrape scrape = scrape();

            proxy.pass();
            assertThat(scrape.names()).contains("delayqueue_lag_seconds", "delayqueue_listener_permits_used");
            assertThat(scrape.series())
                    .filteredOn(series -> series.name().startsWith("delayqueue_"))
                    .noneMatch(series -> Double.isNaN(series.value()));
            assertThat(scrape.series()).anySatisfy(series -> {
                assertThat(series.labels()).isEqualTo(Map.of("topic", "waiting", "state", "scheduled"));
                assertThat(series.value()).isEqualTo(1);
            });
            application().close();
        }
    }

    @Test
    void histogramsArePublishedOnlyIfConfigured() {
        start(redis, EachMeter.Listeners.class, NO_SAMPLES);
        assertThat(scrape().names()).noneMatch(name -> name.endsWith("_bucket"));
        application().close();

        start(
                redis,
                EachMeter.Listeners.class,
                NO_SAMPLES,
                "management.metrics.distribution.percentiles-histogram.delayqueue.delivery.lateness=true",
                "management.metrics.distribution.slo.delayqueue.delivery.handling=100ms,1s");
        delayQueue().send("t", "please");
        awaitValue(1, DelayQueueMeters.MESSAGES_ACKNOWLEDGED, "listener", "l");
        assertThat(scrape().series())
                .filteredOn(series -> series.name().equals("delayqueue_delivery_lateness_seconds_bucket"))
                .hasSizeGreaterThan(20);
        assertThat(scrape().series())
                .filteredOn(series -> series.name().equals("delayqueue_delivery_handling_seconds_bucket")
                        && series.labels().get("outcome").equals("acknowledged")
                        && series.labels().get("listener").equals("l"))
                .extracting(series -> series.labels().get("le"))
                .containsExactly("0.1", "1.0", "+Inf");
    }

    static class OneListener {

        @DelayListener(topic = "listened", id = "l")
        void handle(String text) {}

        @Bean
        static CommitOutbox outbox() {
            return new FilledOutbox();
        }
    }

    /** The page is docs/metrics.md. */
    @Test
    void thePageHasTheNumbersOfSeriesAndTheValuesOfTags() throws IOException {
        start(redis, OneListener.class, NO_SAMPLES, "delayqueue.topics[ordered].keys=ordered");
        delayQueue().send("sent", "text", Duration.ofHours(1));
        for (int i = 0; i < 2; i++) {
            delayQueue()
                    .send(DelayMessage.to("ordered").key("k").payload("text").build());
        }
        try (ConfigurableApplicationContext other =
                run(redis.port(), OneListener.class, NO_SAMPLES, "delayqueue.namespace=" + namespace())) {
            other.getBean(DelayQueueTemplate.class).send("foreign", "text", Duration.ofHours(1));
        }
        sample(bean(TopicSampler.class));

        Scrape scrape = scrape();

        String page = Files.readString(Path.of("..", "docs", "metrics.md"), UTF_8);
        assertThat(page)
                .contains("a topic with a listener has " + ofTopic(scrape, "listened") + " series, any other topic has "
                        + ofTopic(scrape, "foreign") + ", or " + ofTopic(scrape, "sent") + " on a node that sends");
        assertThat(ofTopic(scrape, "ordered"))
                .as("an ordered topic has one more")
                .isEqualTo(ofTopic(scrape, "sent") + 1);
        for (String tag : List.of("state", "outcome")) {
            assertThat(values(page, tag))
                    .containsExactlyInAnyOrderElementsOf(scrape.series().stream()
                            .flatMap(series -> Stream.ofNullable(series.labels().get(tag)))
                            .collect(Collectors.toSet()));
        }
        assertThat(values(page, "kind"))
                .containsExactly(Stream.of(Finding.Kind.values())
                        .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                        .toArray(String[]::new));
    }

    /** The values of a tag according to its row in the page. */
    private static Stream<String> values(String page, String tag) {
        String row = page.lines()
                .filter(line -> line.startsWith("| `" + tag + "` |"))
                .findFirst()
                .orElseThrow();
        return Pattern.compile("`([a-z_]+)`")
                .matcher(row)
                .results()
                .map(code -> code.group(1))
                .skip(1);
    }

    /** Without findings: a topic that works has none. */
    private static long ofTopic(Scrape scrape, String topic) {
        return scrape.series().stream()
                .filter(series -> !series.name().equals(prometheusName(DelayQueueMeters.FINDINGS)))
                .filter(series -> topic.equals(series.labels().get("topic")))
                .count();
    }

    private static String prometheusName(DelayQueueMeters meter) {
        String name = meter.getName().replaceAll("[.-]", "_");
        if (meter.getType() == Meter.Type.COUNTER) {
            return name + "_total";
        }
        String seconds = meter.getBaseUnit() == null ? "" : "_" + meter.getBaseUnit();
        return name + seconds + (meter.getType() == Meter.Type.TIMER ? "_count" : "");
    }
}
