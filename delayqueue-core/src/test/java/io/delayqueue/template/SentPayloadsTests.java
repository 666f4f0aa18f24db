package io.delayqueue.template;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadCodec.OnProblem;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.message.DelayMessage;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

/** What a send writes can be read when it is due, or the send says so. */
@ExtendWith(OutputCaptureExtension.class)
class SentPayloadsTests {

    private static final String TOPIC = "orders";

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Paid.class, name = "paid"),
        @JsonSubTypes.Type(value = Shipped.class, name = "shipped")
    })
    sealed interface Event permits Paid, Shipped {}

    record Paid(int amount) implements Event {}

    record Shipped(String carrier) implements Event {}

    record Envelope<T>(String sender, T content) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type", defaultImpl = Known.class)
    interface WithDefault {}

    record Known(String name) implements WithDefault {}

    record Plain(String name, Set<String> tags, ZonedDateTime at, UUID id, double rate) {}

    record Flags(boolean isUrgent, boolean done) {}

    static final class Flag {
        private boolean isPaid;

        public boolean isPaid() {
            return isPaid;
        }

        public void setIsPaid(boolean paid) {
            isPaid = paid;
        }
    }

    static final class WithoutCreator {
        private final String name;

        WithoutCreator(String name, int unused) {
            this.name = name + unused;
        }

        public String getName() {
            return name;
        }
    }

    private final Map<String, List<Type>> listeners = new HashMap<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final JsonPayloadConverter json =
            new JsonPayloadConverter(JsonMapper.builder().build());
    private final PayloadCodec codec = new PayloadCodec(json);
    private final SentPayloads warning = payloads(codec, OnProblem.WARN);
    private final SentPayloads rejecting = payloads(codec, OnProblem.REJECT);

    private SentPayloads payloads(PayloadCodec codec, OnProblem onFailedReadBack) {
        return new SentPayloads(codec, topic -> listeners.getOrDefault(topic, List.of()), onFailedReadBack);
    }

    private static DelayMessage message(Object payload) {
        return DelayMessage.to(TOPIC).payload(payload).build();
    }

    private void listen(ParameterizedTypeReference<?> type) {
        listeners.put(TOPIC, List.of(type.getType()));
    }

    private static final Type EVENTS = new ParameterizedTypeReference<List<Event>>() {}.getType();

    static Stream<Object[]> erased() {
        Paid paid = new Paid(5);
        return Stream.of(
                new Object[] {List.of(paid), EVENTS},
                new Object[] {List.of(paid), new ParameterizedTypeReference<Set<Event>>() {}.getType()},
                new Object[] {List.of(paid), Event[].class},
                new Object[] {Optional.of(paid), Paid.class},
                new Object[] {Optional.of(paid), Event.class},
                new Object[] {Map.of("a", paid), new ParameterizedTypeReference<Map<String, Event>>() {}.getType()},
                new Object[] {
                    List.of(Optional.of(paid)), new ParameterizedTypeReference<List<Optional<Event>>>() {}.getType()
                },
                new Object[] {new Envelope<>("a", paid), new ParameterizedTypeReference<Envelope<Event>>() {}.getType()
                },
                new Object[] {
                    new Envelope<>("a", List.of(paid)),
                    new ParameterizedTypeReference<Envelope<List<Event>>>() {}.getType()
                });
    }

    @ParameterizedTest
    @MethodSource("erased")
    void listenersTypeKeepsTheTypeIdsOfTypeArguments(Object payload, Type listener, CapturedOutput output) {
        listeners.put(TOPIC, List.of(listener));

        byte[] written = rejecting.write(message(payload));

        assertThat(new String(written, UTF_8)).contains("\"type\":\"paid\"");
        assertThat(codec.read(written, listener)).isNotNull();
        assertThat(rejecting.write(message(payload))).isEqualTo(written);
        assertThat(output).doesNotContain("could not be read");
    }

    @ParameterizedTest
    @MethodSource("erased")
    void lostTypeIdsAreToldWithoutAListener(Object payload) {
        assertThatThrownBy(() -> rejecting.write(message(payload)))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContainingAll("topic orders", Paid.class.getName(), "ParameterizedTypeReference");
    }

    @Test
    void typedSendKeepsTypeIds() {
        DelayMessage message = DelayMessage.to(TOPIC)
                .payload(List.of(new Paid(5), new Shipped("a")), new ParameterizedTypeReference<List<Event>>() {})
                .build();

        byte[] written = rejecting.write(message.toBuilder().build());

        assertThat(codec.read(written, EVENTS)).isEqualTo(message.payload());
    }

    @Test
    void anEmptyPayloadDecidesNothing() {
        listen(new ParameterizedTypeReference<List<Event>>() {});

        assertThat(rejecting.write(message(new java.util.ArrayList<Event>())))
                .asString(UTF_8)
                .isEqualTo("[]");
        assertThat(rejecting.write(message(new java.util.ArrayList<Event>(List.of(new Paid(1))))))
                .asString(UTF_8)
                .contains("\"type\":\"paid\"");
    }

    @Test
    void whatCanBeReadTodayKeepsItsForm() {
        listen(new ParameterizedTypeReference<List<WithDefault>>() {});

        assertThat(rejecting.write(message(List.of(new Known("a")))))
                .asString(UTF_8)
                .isEqualTo("[{\"name\":\"a\"}]");
    }

    static Stream<Object> unreadable() {
        Flag paid = new Flag();
        paid.setIsPaid(true);
        return Stream.of(
                paid,
                List.of(paid),
                new Envelope<>("a", paid),
                new WithoutCreator("a", 1),
                Map.of("a", new WithoutCreator("a", 1)),
                Optional.of(new WithoutCreator("a", 1)));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void whatCannotBeReadIsRejectedIfSoConfigured(Object payload) {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> rejecting.write(message(payload))).isInstanceOf(PayloadConversionException.class);
        }
    }

    @Test
    void whatCannotBeReadIsStoredWithOneWarningForEachClassAndTopic(CapturedOutput output) {
        for (int i = 0; i < 3; i++) {
            warning.write(message(new WithoutCreator("a", i)));
        }
        warning.write(
                DelayMessage.to("other").payload(new WithoutCreator("a", 1)).build());

        assertThat(output.getAll().lines().filter(line -> line.contains("could not be read when it is due")))
                .hasSize(2)
                .anyMatch(line -> line.contains("topic orders"))
                .anyMatch(line -> line.contains("topic other"));
    }

    @Test
    void aListenerThatTakesAnotherTypeIsTold() {
        listen(new ParameterizedTypeReference<List<String>>() {});

        assertThatThrownBy(() -> rejecting.write(message(new Paid(1)))).hasMessageContaining("List<java.lang.String>");
    }

    @Test
    void theListenersTypeMatters() {
        listeners.put(TOPIC, List.of(Paid.class));

        assertThatCode(() -> rejecting.write(message(new Paid(1)))).doesNotThrowAnyException();
        listeners.put(TOPIC, List.of(Shipped[].class));
        assertThatThrownBy(() -> rejecting.write(message(new Paid(1)))).hasMessageContaining("Shipped");
    }

    enum Level {
        LOW {},
        HIGH {}
    }

    static Stream<Object> readable() {
        return Stream.of(
                new Plain(
                        "a",
                        Set.of("c", "b", "a"),
                        ZonedDateTime.parse("2030-01-02T03:04:05+02:00"),
                        UUID.randomUUID(),
                        1.50),
                new Flags(true, true),
                Level.HIGH,
                Path.of("/tmp"),
                new Paid(0),
                List.of(1, 2L, "a"),
                Map.of(1, Map.of("a", List.of())),
                new LinkedHashMap<>(Map.of("a", 1)),
                Optional.of(UUID.randomUUID()),
                new Envelope<>("a", Map.of("b", 1)),
                new Event[] {new Paid(1)},
                JsonMapper.shared().readTree("{\"a\":[1,{\"b\":null}]}"),
                42,
                "{broken",
                new byte[] {1});
    }

    @ParameterizedTest
    @MethodSource("readable")
    void whatCanBeReadIsAccepted(Object payload) {
        assertThatCode(() -> rejecting.write(message(payload))).doesNotThrowAnyException();
    }

    @Test
    void onlyTheFirstPayloadOfAClassAndTopicIsReadBack() {
        listeners.put(TOPIC, List.of(Paid.class));
        SentPayloads counted = payloads(
                new PayloadCodec(new PayloadConverter() {
                    @Override
                    public byte[] write(Object payload) {
                        return json.write(payload);
                    }

                    @Override
                    public Object read(byte[] body, @Nullable Type type) {
                        reads.incrementAndGet();
                        return json.read(body, type);
                    }
                }),
                OnProblem.WARN);

        for (int i = 0; i < 5; i++) {
            counted.write(message(new Paid(i)));
        }

        assertThat(reads).hasValue(1);
    }
}
