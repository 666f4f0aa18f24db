package io.delayqueue.management;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.delayqueue.admin.DeadLetterFilter;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.util.NameTransformer;

/**
 * Writes records as JSON. The mapper is separate, so that settings of the application do not change the form. Thread-safe.
 *
 * <ul>
 *   <li>A component is written with its name. Null is omitted.
 *   <li>An instant is written in ISO 8601 with milliseconds, the precision of Redis' clock.
 *   <li>A duration is written in milliseconds, and {@code Millis} is added to the name.
 *   <li>A constant of an enum is written in lower case.
 *   <li>The components of counts, of a job's request and filter, of a topic's status and of a payload are written like
 *       those of the record that contains it.
 * </ul>
 */
public final class ManagementJson {

    private static final Set<Class<?>> FLAT =
            Set.of(TopicCounts.class, TopicStatus.class, JobRequest.class, DeadLetterFilter.class, Payload.class);

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    // payloads could fill the cache with arbitrary names
                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                    .disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
                    .build())
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enumNamingStrategy((config, type, name) -> name.toLowerCase(Locale.ROOT))
            .changeDefaultPropertyInclusion(inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
            .changeDefaultVisibility(visibility -> visibility.withIsGetterVisibility(Visibility.NONE))
            .annotationIntrospector(new Names())
            .addModule(new SimpleModule()
                    .addSerializer(new InstantWriter())
                    .addSerializer(new DurationWriter())
                    .addSerializer(new JsonTextWriter()))
            .build();

    private ManagementJson() {}

    /** Writes a record. */
    public static byte[] write(Object body) {
        return MAPPER.writeValueAsBytes(body);
    }

    /** Returns whether a text is exactly one JSON value. */
    static boolean isValue(String text) {
        try (JsonParser parser = MAPPER.createParser(text)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            parser.finishToken();
            return parser.nextToken() == null;
        } catch (JacksonException e) {
            return false;
        }
    }

    /** Names durations, and finds the components that are written like those of the record that contains them. */
    private static final class Names extends JacksonAnnotationIntrospector {

        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable PropertyName findNameForSerialization(MapperConfig<?> config, Annotated annotated) {
            return annotated instanceof AnnotatedMember && annotated.getRawType() == Duration.class
                    ? PropertyName.construct(annotated.getName() + "Millis")
                    : super.findNameForSerialization(config, annotated);
        }

        @Override
        public @Nullable NameTransformer findUnwrappingNameTransformer(MapperConfig<?> config, AnnotatedMember member) {
            return FLAT.contains(member.getRawType())
                    ? NameTransformer.NOP
                    : super.findUnwrappingNameTransformer(config, member);
        }
    }

    private static final class InstantWriter extends StdSerializer<Instant> {

        private static final DateTimeFormatter FORMAT =
                new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

        InstantWriter() {
            super(Instant.class);
        }

        @Override
        public void serialize(Instant value, JsonGenerator generator, SerializationContext context) {
            generator.writeString(FORMAT.format(value));
        }
    }

    private static final class DurationWriter extends StdSerializer<Duration> {

        DurationWriter() {
            super(Duration.class);
        }

        @Override
        public void serialize(Duration value, JsonGenerator generator, SerializationContext context) {
            generator.writeNumber(value.toMillis());
        }
    }

    private static final class JsonTextWriter extends StdSerializer<JsonText> {

        JsonTextWriter() {
            super(JsonText.class);
        }

        @Override
        public void serialize(JsonText value, JsonGenerator generator, SerializationContext context) {
            generator.writeRawValue(value.text());
        }
    }
}
