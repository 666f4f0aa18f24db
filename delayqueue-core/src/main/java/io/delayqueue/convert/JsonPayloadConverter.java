package io.delayqueue.convert;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.delayqueue.Internal;
import io.delayqueue.convert.PayloadCodec.OnProblem;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TreeNode;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.jsontype.impl.AsDeductionTypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.TypeFactory;
import tools.jackson.databind.util.ClassUtil;

/**
 * Converts payloads to JSON with the application's mapper. Rejects objects without properties, such as a lambda or an
 * {@code Object}, at any depth of the payload; empty records, {@code Map}s and {@code Collection}s are permitted. A
 * parameter of a constructor that has a primitive type and is absent in the JSON is 0 or false, because a delayed message
 * is older than the code that reads it. Thread-safe.
 */
public final class JsonPayloadConverter implements PayloadConverter {

    private static final Log log = LogFactory.getLog(JsonPayloadConverter.class);

    private static final int MAX_NAMES = 20;
    private static final byte[] NULL = {'n', 'u', 'l', 'l'};
    private static final String NO_PROPERTIES = "No serializer found for class ";
    private static final String NOT_READABLE =
            " can't be a payload, because it can't be read back from JSON: send a record, a class"
                    + " with properties, a Map, a Collection or a simple value";
    private static final List<Class<?>> NO_DATA = List.of(
            Thread.class,
            ThreadGroup.class,
            ClassLoader.class,
            Executor.class,
            Future.class,
            CompletionStage.class,
            BaseStream.class,
            InputStream.class,
            OutputStream.class,
            Reader.class,
            Writer.class);

    private final JsonMapper mapper;
    private final ObjectWriter writer;
    private final OnProblem onMismatch;
    private final ReadBack readBack = new ReadBack();
    /** The names of the properties of each class; empty if its JSON is not compared. */
    private final Map<Class<?>, Set<String>> names = new ConcurrentHashMap<>();

    private final Set<Class<?>> warned = ConcurrentHashMap.newKeySet();

    /** What an absent primitive means. */
    public enum OnAbsentPrimitive {

        /** 0 or false. */
        ZERO,

        /** The payload can't be read. */
        REJECT
    }

    /** Creates a converter. The mapper decides about the format of dates and records. */
    public JsonPayloadConverter(JsonMapper mapper) {
        this(mapper, OnAbsentPrimitive.ZERO);
    }

    /**
     * Creates a converter.
     *
     * @param onAbsentPrimitive what it means if JSON lacks a parameter of a constructor that has a primitive type
     */
    public JsonPayloadConverter(JsonMapper mapper, OnAbsentPrimitive onAbsentPrimitive) {
        this(mapper, onAbsentPrimitive, OnProblem.REJECT);
    }

    /**
     * Creates a converter.
     *
     * @param onMismatch the reaction to JSON that shares no property with the record or class that it is read as
     */
    @Internal
    public JsonPayloadConverter(JsonMapper mapper, OnAbsentPrimitive onAbsentPrimitive, OnProblem onMismatch) {
        this.onMismatch = onMismatch;
        this.mapper = mapper.rebuild()
                .addModule(new SimpleModule("delayqueue-absent-primitives")
                        .setDeserializerModifier(new AbsentPrimitives(onAbsentPrimitive)))
                .build();
        this.writer = mapper.writer().with(SerializationFeature.FAIL_ON_EMPTY_BEANS);
    }

    @Override
    public byte[] write(Object payload) {
        return write(payload, writer);
    }

    @Override
    public byte[] write(Object payload, Type type) {
        JavaType written = typeOf(payload, type);
        return write(payload, written == null ? writer : writer.forType(written));
    }

    private static byte[] write(Object payload, ObjectWriter writer) {
        requireData(payload);
        byte[] written;
        try {
            written = writer.writeValueAsBytes(payload);
        } catch (RuntimeException e) {
            String why = firstLine(e);
            String problem = e instanceof InvalidDefinitionException definition && why.startsWith(NO_PROPERTIES)
                    ? NOT_READABLE + " (Jackson finds no property in "
                            + definition.getType().getRawClass().getTypeName() + ")"
                    : " can't be written as JSON: " + why;
            throw new PayloadConversionException("A " + payload.getClass().getTypeName() + problem, e);
        }
        if (Arrays.equals(written, NULL)) {
            throw new PayloadConversionException(
                    "A " + payload.getClass().getTypeName() + " is null in JSON, which a receiver can't read", null);
        }
        return written;
    }

    /** Jackson writes nothing for a lambda, and internal state for the types of {@link #NO_DATA}. */
    private static void requireData(Object payload) {
        Class<?> type = payload.getClass();
        if (type.isHidden() || NO_DATA.stream().anyMatch(live -> live.isInstance(payload))) {
            throw new PayloadConversionException("A " + type.getTypeName() + NOT_READABLE, null);
        }
    }

    @Override
    public Object read(byte[] body, Type type) {
        Object value;
        try {
            value = mapper.readValue(body, mapper.constructType(type));
        } catch (RuntimeException e) {
            throw new PayloadConversionException(
                    "The payload can't be read from JSON as " + type.getTypeName() + ": " + firstLine(e), e);
        }
        if (value == null) {
            throw new PayloadConversionException(
                    "The payload is null in JSON, where a " + type.getTypeName() + " is needed", null);
        }
        requireSharedProperty(body, value);
        return value;
    }

    /** All properties of such a value would be null: the payload was written by another class, or they were renamed. */
    private void requireSharedProperty(byte[] body, Object value) {
        Set<String> known = names.computeIfAbsent(value.getClass(), this::namesOf);
        if (known.isEmpty()) {
            return;
        }
        Set<String> unknown = new TreeSet<>();
        try (JsonParser parser = mapper.createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return;
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                if (known.contains(parser.currentName())) {
                    return; // usually the first one
                }
                unknown.add(parser.currentName());
                parser.nextToken();
                parser.skipChildren();
            }
        }
        if (unknown.isEmpty()) {
            return;
        }
        String problem =
                "The payload shares no property with " + value.getClass().getTypeName() + ": it has "
                        + unknown.stream().limit(MAX_NAMES).toList() + ", where " + new TreeSet<>(known)
                        + " are needed. If a property was renamed, add its former name with @JsonAlias";
        if (onMismatch == OnProblem.REJECT) {
            throw new PayloadConversionException(problem, null);
        }
        if (warned.add(value.getClass())) {
            log.warn(problem);
        }
    }

    /** The names and aliases as Jackson reads them; empty for types whose JSON may have other names. */
    private Set<String> namesOf(Class<?> type) {
        DeserializationConfig config = mapper.deserializationConfig();
        JavaType java = mapper.constructType(type);
        DeserializationContext context = mapper._deserializationContext();
        if (context.findTypeDeserializer(java) != null || config.isEnabled(DeserializationFeature.UNWRAP_ROOT_VALUE)) {
            return Set.of(); // the JSON has a type id or another name around it
        }
        ValueDeserializer<?> deserializer;
        try {
            deserializer = context.findNonContextualValueDeserializer(java);
        } catch (RuntimeException e) {
            return Set.of(); // the value's class is not the one that Jackson reads
        }
        if (!(deserializer instanceof BeanDeserializer bean)
                || bean.hasAnySetter()
                || bean.getValueInstantiator().canCreateUsingDelegate()
                || bean.getValueInstantiator().canCreateUsingArrayDelegate()) {
            return Set.of();
        }
        boolean anyCase = config.isEnabled(MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES);
        Set<String> found = anyCase ? new TreeSet<>(String.CASE_INSENSITIVE_ORDER) : new TreeSet<>();
        bean.getKnownPropertyNames().forEach(name -> found.add(name.toString()));
        ClassIntrospector introspector = config.classIntrospectorInstance();
        BeanDescription description =
                introspector.introspectForDeserialization(java, introspector.introspectClassAnnotations(java));
        for (BeanPropertyDefinition property : description.findProperties()) {
            AnnotatedMember member = property.getPrimaryMember();
            if (member != null
                    && config.getAnnotationIntrospector().findUnwrappingNameTransformer(config, member) != null) {
                return Set.of();
            }
            property.findAliases().forEach(alias -> found.add(alias.getSimpleName()));
        }
        JsonFormat.Value format = config.getAnnotationIntrospector().findFormat(config, description.getClassInfo());
        boolean anyCaseOfClass = format != null
                && Boolean.TRUE.equals(format.getFeature(JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_PROPERTIES));
        return anyCaseOfClass ? Set.of() : found;
    }

    /** The other lines of Jackson's message contain the location in Java code, which the stack trace shows. */
    private static String firstLine(RuntimeException e) {
        String message = e.getMessage();
        return message == null ? e.toString() : message.lines().findFirst().orElse("");
    }

    /**
     * Whether the class of a payload does not say which type ids its receiver needs: those of a type argument, of the
     * elements of an array, or of the value of an {@code Optional}.
     *
     * @param type the receiver's type
     */
    @Internal
    public boolean needsType(Object payload, Type type) {
        JavaType written = typeOf(payload, type);
        return written != null && readBack.hasTypeIdsInside(written);
    }

    /**
     * Reads a written payload as its receiver would.
     *
     * @param type the receiver's type; null if only the payload's class is known
     * @throws PayloadConversionException if the receiver can't read it, or if values are lost
     */
    @Internal
    public void readBack(byte[] written, Object payload, @Nullable Type type) {
        if (type == null) {
            readBack.asOwnClass(written, payload, 0);
        } else {
            Object value = read(written, type);
            if (value.getClass() == payload.getClass() && value.getClass().getTypeParameters().length == 0) {
                readBack.compare(written, write(value), payload);
            }
        }
    }

    /** The type as which a payload is written for a receiver; null if the receiver's type does not fit it. */
    private @Nullable JavaType typeOf(Object payload, Type receiver) {
        JavaType type = mapper.constructType(receiver);
        TypeFactory types = mapper.getTypeFactory();
        Class<?> own = payload.getClass();
        try {
            if (type.isTypeOrSuperTypeOf(own)) {
                return types.constructSpecializedType(type, own);
            }
            if (payload instanceof Optional) {
                return types.constructReferenceType(Optional.class, type);
            }
            if (payload instanceof Collection && (type.isArrayType() || type.isCollectionLikeType())) {
                return types.constructSpecializedType(
                        types.constructCollectionLikeType(Collection.class, type.getContentType()), own);
            }
            if (payload instanceof Map && type.isMapLikeType()) {
                return types.constructSpecializedType(
                        types.constructMapLikeType(Map.class, type.getKeyType(), type.getContentType()), own);
            }
        } catch (IllegalArgumentException e) {
            return null; // the class does not fit the type arguments
        }
        return null;
    }

    /** Finds what is written and not read. It runs once for each class and topic. */
    private final class ReadBack {

        private static final int MAX_DEPTH = 8;
        private static final int MAX_ELEMENTS = 1000;

        void asOwnClass(byte[] written, Object payload, int depth) {
            for (Object element : elements(payload)) {
                if (depth < MAX_DEPTH) {
                    requireTypeId(payload, element);
                    asOwnClass(write(element), element, depth + 1);
                }
            }
            Class<?> own = payload instanceof Enum<?> constant ? constant.getDeclaringClass() : payload.getClass();
            if (!own.getName().startsWith("java.") && !isContainer(payload)) {
                compare(written, write(read(written, own)), payload);
            }
        }

        private static boolean isContainer(Object payload) {
            return payload instanceof Iterable
                    || payload instanceof Map
                    || payload instanceof Object[]
                    || payload instanceof Optional
                    || payload instanceof TreeNode
                    || payload.getClass().getName().startsWith("jdk.")
                    || payload.getClass().getName().startsWith("sun.");
        }

        /** The first value of each class of those whose types the payload's class does not declare. */
        private Collection<Object> elements(Object payload) {
            Collection<?> all = List.of();
            if (payload instanceof Collection<?> collection) {
                all = collection;
            } else if (payload instanceof Map<?, ?> map) {
                all = map.values();
            } else if (payload instanceof Optional<?> optional) {
                all = optional.stream().toList();
            } else if (payload instanceof Object[] array) {
                all = Arrays.asList(array);
            } else if (!(payload instanceof TreeNode) && payload.getClass().getTypeParameters().length > 0) {
                all = undeclared(payload);
            }
            Map<Class<?>, Object> byClass = new HashMap<>();
            all.stream()
                    .limit(MAX_ELEMENTS)
                    .filter(each -> each != null && !each.getClass().getName().startsWith("java.lang."))
                    .forEach(each -> byClass.putIfAbsent(each.getClass(), each));
            return byClass.values();
        }

        /** The values of the properties of a generic class whose type is a type variable. */
        private List<Object> undeclared(Object payload) {
            SerializationConfig config = mapper.serializationConfig();
            ClassIntrospector introspector = config.classIntrospectorInstance();
            JavaType type = mapper.constructType(payload.getClass());
            BeanDescription description =
                    introspector.introspectForSerialization(type, introspector.introspectClassAnnotations(type));
            List<Object> values = new ArrayList<>();
            for (BeanPropertyDefinition property : description.findProperties()) {
                AnnotatedMember accessor = property.getAccessor();
                if (accessor != null && property.couldSerialize() && hidesTypes(accessor.getType())) {
                    accessor.fixAccess(true);
                    values.add(accessor.getValue(payload));
                }
            }
            return values;
        }

        private boolean hidesTypes(JavaType declared) {
            JavaType content = declared.getContentType();
            return declared.isJavaLangObject()
                    || (content != null && hidesTypes(content))
                    || (declared.containedTypeCount() > 0 && hidesTypes(declared.containedType(0)));
        }

        private void requireTypeId(Object payload, Object element) {
            Class<?> declared = payload.getClass().getComponentType();
            if (writesTypeId(mapper.constructType(element.getClass()))
                    && (declared == null || !writesTypeId(mapper.constructType(declared)))) {
                throw new PayloadConversionException(
                        "A " + payload.getClass().getTypeName() + " is written without the type ids of its "
                                + element.getClass().getTypeName()
                                + ", because its class does not know its type arguments: send it with a"
                                + " ParameterizedTypeReference",
                        null);
            }
        }

        boolean hasTypeIdsInside(JavaType type) {
            JavaType content = type.getContentType();
            if (content != null && (writesTypeId(content) || hasTypeIdsInside(content))) {
                return true;
            }
            for (int i = 0; i < type.containedTypeCount(); i++) {
                JavaType argument = type.containedType(i);
                if (writesTypeId(argument) || hasTypeIdsInside(argument)) {
                    return true;
                }
            }
            return false;
        }

        private boolean writesTypeId(JavaType type) {
            TypeSerializer ids = mapper._serializationContext().findTypeSerializer(type);
            return ids != null
                    && !(ids instanceof AsDeductionTypeSerializer)
                    && ids.getTypeInclusion() != JsonTypeInfo.As.EXISTING_PROPERTY;
        }

        /**
         * Compares the JSON of a payload with that of the payload that was read from it. Values may change their form, such
         * as the zone of a date or the order of a set, but must not vanish.
         */
        void compare(byte[] written, byte[] again, Object payload) {
            Map<String, Integer> before = new HashMap<>();
            Map<String, Integer> after = new HashMap<>();
            count(mapper.readTree(written), "", before);
            count(mapper.readTree(again), "", after);
            Set<String> lost = new TreeSet<>();
            before.forEach((path, count) -> {
                if (after.getOrDefault(path, 0) < count) {
                    lost.add(path);
                }
            });
            if (!lost.isEmpty()) {
                throw new PayloadConversionException(
                        "A " + payload.getClass().getTypeName() + " is written with " + String.join(", ", lost)
                                + ", which reading it does not set",
                        null);
            }
        }

        private static void count(JsonNode node, String path, Map<String, Integer> values) {
            if (node.isObject()) {
                node.properties()
                        .forEach(each -> count(
                                each.getValue(), path.isEmpty() ? each.getKey() : path + "." + each.getKey(), values));
            } else if (node.isArray()) {
                node.forEach(each -> count(each, path + "[]", values));
            } else if (!isDefault(node)) {
                values.merge(path, 1, Integer::sum);
            }
        }

        private static boolean isDefault(JsonNode node) {
            return node.isNull()
                    || (node.isBoolean() && !node.asBoolean())
                    || (node.isNumber() && node.asDouble() == 0)
                    || (node.isString() && node.asString().isEmpty());
        }
    }

    /** Decides about absent parameters of constructors. An explicit null remains a matter of the mapper. */
    private static final class AbsentPrimitives extends ValueDeserializerModifier {

        private static final long serialVersionUID = 1L;

        private final OnAbsentPrimitive onAbsent;

        AbsentPrimitives(OnAbsentPrimitive onAbsent) {
            this.onAbsent = onAbsent;
        }

        @Override
        public ValueDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription.Supplier description, ValueDeserializer<?> deserializer) {
            Class<?> type = description.getBeanClass();
            return type.isPrimitive() && type != void.class
                    ? new AbsentPrimitive(deserializer, type, onAbsent)
                    : deserializer;
        }
    }

    private static final class AbsentPrimitive extends DelegatingDeserializer {

        private final Class<?> type;
        private final OnAbsentPrimitive onAbsent;

        AbsentPrimitive(ValueDeserializer<?> delegate, Class<?> type, OnAbsentPrimitive onAbsent) {
            super(delegate);
            this.type = type;
            this.onAbsent = onAbsent;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
            return new AbsentPrimitive(delegate, type, onAbsent);
        }

        @Override
        public @Nullable Object getAbsentValue(DeserializationContext context) {
            return onAbsent == OnAbsentPrimitive.ZERO
                    ? ClassUtil.defaultValue(type)
                    : context.reportInputMismatch(type, "It lacks a value of type %s", type.getName());
        }
    }
}
