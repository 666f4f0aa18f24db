package io.delayqueue.convert;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.delayqueue.convert.JsonPayloadConverter.OnAbsentPrimitive;
import io.delayqueue.convert.PayloadCodec.OnProblem;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonPOJOBuilder;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;

/** Names in JSON are compared with the properties of the type that reads it. */
@ExtendWith(OutputCaptureExtension.class)
class PropertyComparisonTests {

    private final PayloadCodec codec =
            new PayloadCodec(new JsonPayloadConverter(JsonMapper.builder().build()));
    private final PayloadCodec lenient = new PayloadCodec(
            new JsonPayloadConverter(JsonMapper.builder().build(), OnAbsentPrimitive.ZERO, OnProblem.WARN));

    record Cancel(String orderId, int amount) {}

    record Shop(String name, Cancel cancel, List<Cancel> others) {}

    record Deep(String name, Shop shop) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({@JsonSubTypes.Type(value = Paid.class, name = "paid")})
    interface Event {}

    record Paid(String invoice) implements Event {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_OBJECT)
    @JsonSubTypes({@JsonSubTypes.Type(value = Wrapped.class, name = "wrapped")})
    interface InWrapper {}

    record Wrapped(String invoice) implements InWrapper {}

    @JsonDeserialize(builder = Built.Builder.class)
    record Built(String orderId) {

        @JsonPOJOBuilder
        static final class Builder {

            private String orderId;

            public Builder withOrderId(String id) {
                orderId = id;
                return this;
            }

            public Built build() {
                return new Built(orderId);
            }
        }
    }

    static final class AnyCancel extends StdDeserializer<Cancel> {

        AnyCancel() {
            super(Cancel.class);
        }

        @Override
        public Cancel deserialize(JsonParser parser, DeserializationContext context) {
            parser.skipChildren();
            return new Cancel("own", 1);
        }
    }

    record WithOwnReader(
            @JsonDeserialize(using = AnyCancel.class) Cancel cancel) {}

    private static Type typeOf(ParameterizedTypeReference<?> type) {
        return type.getType();
    }

    static Stream<Arguments> mismatches() {
        return Stream.of(
                Arguments.of("[{\"orderNo\":\"1\"}]", typeOf(new ParameterizedTypeReference<List<Cancel>>() {})),
                Arguments.of("[{\"orderId\":\"1\"},{\"orderNo\":\"1\"}]", Cancel[].class),
                Arguments.of(
                        "{\"a\":{\"orderNo\":\"1\"}}",
                        typeOf(new ParameterizedTypeReference<Map<String, Cancel>>() {})),
                Arguments.of("{\"orderNo\":\"1\"}", typeOf(new ParameterizedTypeReference<Optional<Cancel>>() {})),
                Arguments.of(
                        "{\"a\":[{\"orderNo\":\"1\"}]}",
                        typeOf(new ParameterizedTypeReference<Map<String, List<Cancel>>>() {})),
                Arguments.of("{\"name\":\"a\",\"cancel\":{\"orderNo\":\"1\"}}", Shop.class),
                Arguments.of("{\"name\":\"a\",\"others\":[{\"orderNo\":\"1\"}]}", Shop.class),
                Arguments.of("{\"invoiceNo\":\"1\",\"kind\":\"paid\"}", Event.class),
                Arguments.of(
                        "[{\"kind\":\"paid\",\"invoiceNo\":\"1\"}]",
                        typeOf(new ParameterizedTypeReference<List<Event>>() {})),
                Arguments.of("{\"orderNo\":\"1\"}", Built.class));
    }

    @ParameterizedTest
    @MethodSource("mismatches")
    void objectThatSharesNoPropertyIsUnreadable(String stored, Type type) {
        assertThatThrownBy(() -> codec.read(stored.getBytes(UTF_8), type))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContainingAll("shares no property", "@JsonAlias");
    }

    static Stream<Arguments> matches() {
        return Stream.of(
                Arguments.of(
                        "[{\"orderId\":\"1\"},{},null]", typeOf(new ParameterizedTypeReference<List<Cancel>>() {})),
                Arguments.of("{\"kind\":\"paid\",\"invoice\":\"1\"}", Event.class),
                Arguments.of("{\"kind\":\"paid\"}", Event.class),
                Arguments.of("{\"wrapped\":{\"invoiceNo\":\"1\"}}", InWrapper.class),
                Arguments.of("{\"orderId\":\"1\"}", Built.class),
                Arguments.of("{\"cancel\":{\"orderNo\":\"1\"}}", WithOwnReader.class),
                Arguments.of("{\"shop\":{\"name\":\"a\",\"cancel\":{\"orderNo\":\"1\"}}}", Deep.class),
                Arguments.of("[{\"a\":1}]", typeOf(new ParameterizedTypeReference<List<Map<String, Integer>>>() {})),
                Arguments.of("[1,2]", int[].class));
    }

    @ParameterizedTest
    @MethodSource("matches")
    void objectThatSharesAPropertyOrIsNotComparedIsRead(String stored, Type type) {
        assertThat(codec.read(stored.getBytes(UTF_8), type)).isNotNull();
    }

    @Test
    void lackingPropertyIsToldOncePerClassAndTopic(CapturedOutput output) {
        for (int i = 0; i < 2; i++) {
            codec.read("{\"orderId\":\"1\"}".getBytes(UTF_8), Cancel.class, "a");
            codec.read("[{\"orderId\":\"1\"}]".getBytes(UTF_8), Cancel[].class, "b");
            codec.read("{\"orderId\":\"1\",\"amount\":2}".getBytes(UTF_8), Cancel.class, "c");
        }

        assertThat(lines(output, "INFO", "lacks [amount] of " + Cancel.class.getName()))
                .hasSize(2)
                .anyMatch(line -> line.contains("Topic a:"))
                .anyMatch(line -> line.contains("Topic b:"));
    }

    @Test
    void lackingPropertyBesideAnUnknownOneIsAWarning(CapturedOutput output) {
        codec.read("{\"orderNo\":\"1\",\"amount\":2}".getBytes(UTF_8), Cancel.class, "a");

        assertThat(lines(output, "WARN", "lacks [orderId]"))
                .singleElement()
                .asString()
                .contains("[orderNo]", "@JsonAlias");
    }

    @Test
    void mismatchIsWarnedOfOncePerClassAndTopic(CapturedOutput output) {
        for (int i = 0; i < 2; i++) {
            lenient.read("{\"orderNo\":\"1\"}".getBytes(UTF_8), Cancel.class, "a");
            lenient.read("{\"orderNo\":\"1\"}".getBytes(UTF_8), Cancel.class, "b");
        }

        assertThat(lines(output, "WARN", "shares no property")).hasSize(2);
    }

    private static List<String> lines(CapturedOutput output, String level, String part) {
        return output.toString()
                .lines()
                .filter(line -> line.contains(level) && line.contains(part))
                .toList();
    }
}
