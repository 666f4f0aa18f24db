package io.delayqueue.web.api;

import io.delayqueue.admin.DeadLetterFilter;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.management.JsonText;
import io.delayqueue.management.Payload;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;

/** Records with a value for each component. */
final class SampleRecords {

    private static final Instant TIME = Instant.EPOCH;

    /** No request may have both a filter and a target. */
    private static final List<JobRequest> REQUESTS = List.of(
            new JobRequest(
                    JobAction.REPLAY,
                    "t",
                    new DeadLetterFilter("c", "e", "s", TIME, TIME),
                    Duration.ofSeconds(1),
                    1,
                    null,
                    TIME,
                    "by"),
            JobRequest.move("t", "target"));

    private final JobRequest request;

    private SampleRecords(JobRequest request) {
        this.request = request;
    }

    static Stream<Object> of(ResolvableType type) {
        return REQUESTS.stream().map(request -> new SampleRecords(request).value(type));
    }

    private Object value(ResolvableType type) {
        Class<?> raw = type.toClass();
        Map<Class<?>, Object> values = Map.of(
                String.class,
                "text",
                Instant.class,
                TIME,
                Duration.class,
                Duration.ofSeconds(1),
                Map.class,
                Map.of("name", "value"),
                JsonText.class,
                new JsonText("1"),
                JobRequest.class,
                request,
                // the HTTP API neither truncates nor hides payloads
                Payload.class,
                new Payload(new JsonText("1"), "text", "AA==", null));
        if (values.containsKey(raw)) {
            return values.get(raw);
        }
        if (raw == List.class) {
            return List.of(value(type.getGeneric(0)));
        }
        if (raw.isEnum()) {
            return raw.getEnumConstants()[0];
        }
        return switch (raw.getSimpleName()) {
            case "int", "Integer" -> 1;
            case "long", "Long" -> 1L;
            case "boolean" -> true;
            default -> record(raw);
        };
    }

    private Object record(Class<?> raw) {
        RecordComponent[] components = raw.getRecordComponents();
        try {
            Constructor<?> constructor = raw.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            return constructor.newInstance(Arrays.stream(components)
                    .map(component -> value(ResolvableType.forType(component.getGenericType())))
                    .toArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(raw.getName(), e);
        }
    }
}
