package io.delayqueue.convert;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.delayqueue.message.DelayMessage;
import java.io.ByteArrayInputStream;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

class PayloadCodecTests {

    private final PayloadCodec codec =
            new PayloadCodec(new JsonPayloadConverter(JsonMapper.builder().build()));

    record Line(String item, int amount) {}

    record Order(String number, List<Line> lines, Instant at, LocalDate day, Duration window) {}

    static final class Selfish {
        public Selfish getSelf() {
            return this;
        }
    }

    @Test
    void textIsStoredUnchanged() {
        byte[] written = codec.write("Grüße, \"Welt\" 🌍");

        assertThat(written).isEqualTo("Grüße, \"Welt\" 🌍".getBytes(UTF_8));
        assertThat(codec.read(written, String.class)).isEqualTo("Grüße, \"Welt\" 🌍");
    }

    @Test
    void bytesAreStoredUnchangedWhateverTheCallerDoesWithTheArray() {
        byte[] bytes = {0, -1, '\n', '{', -128};

        assertThat(codec.write(bytes)).isEqualTo(bytes).isNotSameAs(bytes);
        assertThat(codec.read(bytes, byte[].class)).isSameAs(bytes);
    }

    @Test
    void recordsAndTimesSurviveTheRoundTrip() {
        Order order = new Order(
                "4711",
                List.of(new Line("tea", 2)),
                Instant.parse("2030-01-02T03:04:05.678Z"),
                LocalDate.of(2030, 1, 2),
                Duration.ofMinutes(30));

        byte[] written = codec.write(order);

        assertThat(new String(written, UTF_8)).startsWith("{").contains("\"number\":\"4711\"");
        assertThat(codec.read(written, Order.class)).isEqualTo(order);
    }

    @Test
    void receiverDeterminesGenerics() {
        Type type = new ParameterizedTypeReference<Map<String, List<Line>>>() {}.getType();
        Map<String, List<Line>> payload = Map.of("a", List.of(new Line("tea", 2), new Line("milk", 1)));

        assertThat(codec.read(codec.write(payload), type)).isEqualTo(payload);
    }

    @Test
    void dataNeverDeterminesTheType() {
        byte[] hostile = "{\"@class\":\"java.io.File\",\"path\":\"/etc\"}".getBytes(UTF_8);

        assertThat(codec.read(hostile, Object.class)).isInstanceOf(Map.class);
    }

    @Test
    void failureToWriteNamesTheType() {
        assertThatThrownBy(() -> codec.write(new Selfish()))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContaining(Selfish.class.getTypeName())
                .hasMessageContaining("JSON");
    }

    static final class Plain {}

    record Empty() {}

    record Holder(Object held) {}

    enum Colour {
        RED
    }

    static Stream<Object> noData() {
        Runnable lambda = () -> {};
        Stream<Object> streams = Stream.of(Stream.of(1), new ByteArrayInputStream(new byte[1]), Optional.empty());
        Stream<Object> objects = Stream.of(lambda, new Object(), new Plain(), new Thread(), new CompletableFuture<>());
        Stream<Object> holders = Stream.of(List.of(new Object()), new Holder(new Plain()));
        return Stream.of(streams, objects, holders).flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("noData")
    void objectWithoutPropertiesIsRejected(Object payload) {
        assertThatThrownBy(() -> codec.write(payload))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContaining(payload.getClass().getTypeName())
                .hasMessageContaining("JSON")
                .hasMessageNotContaining("FAIL_ON_EMPTY_BEANS");
    }

    static Stream<Object> fewData() {
        return Stream.of(new Empty(), Map.of(), List.of(), Colour.RED, 5, false, Optional.of(1), new Holder(null));
    }

    @ParameterizedTest
    @MethodSource("fewData")
    void emptyAndSimpleDataIsWritten(Object payload) {
        assertThat(codec.write(payload)).isNotEmpty();
    }

    @Test
    void failureToReadNamesTheType() {
        assertThatThrownBy(() -> codec.read("{\"item\":".getBytes(UTF_8), Line.class))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContaining(Line.class.getTypeName())
                .hasCauseInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> codec.read("null".getBytes(UTF_8), Line.class))
                .isInstanceOf(PayloadConversionException.class);
    }

    @Test
    void invalidTextIsRejected() {
        assertThatThrownBy(() -> codec.write("half \ud83c")).isInstanceOf(PayloadConversionException.class);
        assertThatThrownBy(() -> codec.read(new byte[] {(byte) 0xff}, String.class))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContaining("byte[]");
    }

    @Test
    void textWithAReplacementCharacterIsRead() {
        String text = "was lost before: \uFFFD";

        assertThat(codec.read(codec.write(text), String.class)).isEqualTo(text);
    }

    @Test
    void anyExceptionOfAConverterIsWrapped() {
        PayloadCodec broken = new PayloadCodec(new PayloadConverter() {
            @Override
            public byte[] write(Object payload) {
                throw new IllegalStateException("out of order");
            }

            @Override
            public Object read(byte[] body, Type type) {
                throw new IllegalStateException("out of order");
            }
        });

        assertThatThrownBy(() -> broken.write(1))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContaining("out of order");
        assertThatThrownBy(() -> broken.read(new byte[0], Integer.class))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContaining("out of order");
    }

    record Grown(String number, int priority, boolean gift, char size, Integer boxed) {}

    @Test
    void absentPrimitivesOfARecordAreZeroAndFalse() {
        assertThat(codec.read("{\"number\":\"4711\"}".getBytes(UTF_8), Grown.class))
                .isEqualTo(new Grown("4711", 0, false, (char) 0, null));
    }

    @Test
    void explicitNullOfAPrimitiveIsStillAMatterOfTheMapper() {
        assertThatThrownBy(() -> codec.read("{\"number\":\"4711\",\"priority\":null}".getBytes(UTF_8), Grown.class))
                .isInstanceOf(PayloadConversionException.class);
    }

    @Test
    void absentPrimitivesAreUnreadableIfSoConfigured() {
        JsonPayloadConverter strict =
                new JsonPayloadConverter(JsonMapper.builder().build(), JsonPayloadConverter.OnAbsentPrimitive.REJECT);

        assertThatThrownBy(() -> strict.read("{\"number\":\"4711\"}".getBytes(UTF_8), Grown.class))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContaining("lacks");
        assertThat(strict.read(codec.write(new Grown("1", 2, true, 'x', null)), Grown.class))
                .isEqualTo(new Grown("1", 2, true, 'x', null));
    }

    record Required(
            String number, @JsonProperty(required = true) int priority) {}

    @Test
    void requiredPrimitivesStayRequired() {
        assertThatThrownBy(() -> codec.read("{\"number\":\"4711\"}".getBytes(UTF_8), Required.class))
                .isInstanceOf(PayloadConversionException.class);
    }

    record Renamed(@JsonAlias("former") String orderId, int amount) {}

    record AnyNames(String name, @JsonAnySetter Map<String, Object> others) {}

    @ParameterizedTest
    @ValueSource(strings = {"{\"orderNo\":\"4711\"}", "{\"a\":{\"orderId\":1},\"b\":[1]}", "{\"ORDERID\":\"1\"}"})
    void payloadThatSharesNoPropertyIsUnreadable(String stored) {
        assertThatThrownBy(() -> codec.read(stored.getBytes(UTF_8), Renamed.class))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContainingAll(Renamed.class.getName(), "orderId", "@JsonAlias");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"former\":\"1\"}", "{\"a\":1,\"amount\":2}"})
    void payloadThatSharesAPropertyOrHasNoneIsRead(String stored) {
        assertThat(codec.read(stored.getBytes(UTF_8), Renamed.class)).isInstanceOf(Renamed.class);
    }

    @ParameterizedTest
    @ValueSource(classes = {AnyNames.class, Empty.class, Map.class, Object.class})
    void typesThatTakeAnyNamesAreNotCompared(Class<?> type) {
        assertThat(codec.read("{\"orderNo\":\"4711\"}".getBytes(UTF_8), type)).isInstanceOf(type);
    }

    @Test
    void mismatchCanBeAWarning() {
        JsonPayloadConverter lenient = new JsonPayloadConverter(
                JsonMapper.builder().build(), JsonPayloadConverter.OnAbsentPrimitive.ZERO, PayloadCodec.OnProblem.WARN);

        assertThat(lenient.read("{\"orderNo\":\"4711\"}".getBytes(UTF_8), Renamed.class))
                .isEqualTo(new Renamed(null, 0));
    }

    @Test
    void aMessageIsNoPayload() {
        DelayMessage message = DelayMessage.to("a").payload("text").build();

        assertThatThrownBy(() -> DelayMessage.to("a").payload(message)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void expiryBeforeTheDueDateIsRejected() {
        Instant due = Instant.parse("2030-01-02T03:04:05Z");

        assertThatThrownBy(() -> DelayMessage.to("a")
                        .payload("text")
                        .dueAt(due)
                        .expireAt(due.minusMillis(1))
                        .build())
                .isInstanceOf(IllegalArgumentException.class);
    }
}
