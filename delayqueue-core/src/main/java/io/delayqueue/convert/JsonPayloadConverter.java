package io.delayqueue.convert;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeInfo.As;
import io.delayqueue.Internal;
import io.delayqueue.convert.PayloadCodec.OnProblem;
import io.delayqueue.message.Printable;
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
import java.util.TreeMap;
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
import tools.jackson.databind.AnnotationIntrospector;
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
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.bean.BuilderBasedDeserializer;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.deser.std.ReferenceTypeDeserializer;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeDeserializer;
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
    private final PropertyComparison comparison;
    private final ReadBack readBack = new ReadBack();

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
        this.mapper = mapper.rebuild()
                .addModule(new SimpleModule("delayqueue-absent-primitives")
                        .setDeserializerModifier(new AbsentPrimitives(onAbsentPrimitive)))
                .build();
        this.comparison = new PropertyComparison(this.mapper, onMismatch);
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
        return read(body, type, null);
    }

    /**
     * Reads a payload, and logs once for each class and topic if it lacks properties.
     *
     * @param topic the topic of the message; null to log nothing
     */
    Object read(byte[] body, Type type, @Nullable String topic) {
        Object value;
        JavaType java;
        try {
            java = mapper.constructType(type);
            value = mapper.readValue(body, java);
        } catch (RuntimeException e) {
            throw new PayloadConversionException(
                    "The payload can't be read from JSON as " + type.getTypeName() + ": " + firstLine(e), e);
        }
        if (value == null) {
            throw new PayloadConversionException(
                    "The payload is null in JSON, where a " + type.getTypeName() + " is needed", null);
        }
        comparison.compare(body, java, topic);
        return value;
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

    /**
     * Compares the names in a JSON payload with the properties of the type that reads it: of the payload, or of the elements of
     * a container, and of the objects in their properties. Jackson leaves a property without a counterpart null, so that a
     * renamed property would be lost silently. Thread-safe.
     */
    private static final class PropertyComparison {

        private static final int MAX_NAMES = 20;
        /** Further classes and topics are compared, but not logged. */
        private static final int MAX_LOGGED = 10_000;

        private static final Names NOT_COMPARED = new Names(Object.class, Map.of(), Map.of(), Set.of(), null);

        private final JsonMapper mapper;
        private final OnProblem onMismatch;
        private final Map<JavaType, ValueDeserializer<?>> roots = new ConcurrentHashMap<>();
        private final Map<ValueDeserializer<?>, Names> names = new ConcurrentHashMap<>();
        private final Set<Logged> logged = ConcurrentHashMap.newKeySet();

        private record Logged(String topic, Class<?> type, boolean mismatch) {}

        /**
         * What the JSON of a type may contain.
         *
         * @param properties the property of each name and alias; empty if the JSON is not compared
         * @param nested what reads the value of each property
         * @param ignored names that Jackson skips
         * @param ids says which subtype's names apply; null without type ids
         */
        private record Names(
                Class<?> type,
                Map<String, String> properties,
                Map<String, ValueDeserializer<?>> nested,
                Set<String> ignored,
                @Nullable TypeDeserializer ids) {}

        PropertyComparison(JsonMapper mapper, OnProblem onMismatch) {
            this.mapper = mapper;
            this.onMismatch = onMismatch;
        }

        /**
         * Compares a payload that could be read.
         *
         * @param topic the topic of the message; null to log nothing
         * @throws PayloadConversionException if an object shares no property with its type, and such payloads are rejected
         */
        void compare(byte[] body, JavaType type, @Nullable String topic) {
            if (mapper.isEnabled(DeserializationFeature.UNWRAP_ROOT_VALUE)) {
                return; // the JSON has another name around it
            }
            try (JsonParser parser = mapper.reader()
                    .without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .createParser(body)) {
                ValueDeserializer<?> root = roots.computeIfAbsent(type, this::deserializer);
                parser.nextToken();
                value(parser, root, topic, 0);
            } catch (PayloadConversionException e) {
                throw e;
            } catch (RuntimeException e) { // the payload could be read
                log.debug("A payload could not be compared with " + type, e);
            }
        }

        private ValueDeserializer<?> deserializer(JavaType type) {
            return mapper._deserializationContext().findContextualValueDeserializer(type, null);
        }

        /**
         * Compares a value and skips it.
         *
         * @param depth 0 for the payload and for elements, 1 for values of their properties
         */
        private void value(JsonParser parser, ValueDeserializer<?> reader, @Nullable String topic, int depth) {
            JsonToken token = parser.currentToken();
            if (reader instanceof ReferenceTypeDeserializer<?> reference && depth == 0) {
                JavaType content = reference.getValueType().getContentType();
                value(parser, roots.computeIfAbsent(content, this::deserializer), topic, depth);
            } else if (reader instanceof ContainerDeserializerBase<?> container
                    && container.getContentDeserializer() != null
                    && token.isStructStart()) {
                JsonToken end = token == JsonToken.START_ARRAY ? JsonToken.END_ARRAY : JsonToken.END_OBJECT;
                for (JsonToken next = parser.nextToken(); next != end; next = parser.nextToken()) {
                    if (next == JsonToken.PROPERTY_NAME) {
                        parser.nextToken();
                    }
                    value(parser, container.getContentDeserializer(), topic, depth);
                }
            } else if (token == JsonToken.START_OBJECT) {
                Names known = namesOf(reader);
                if (known.ids == null) {
                    object(parser, known, topic, depth, null);
                } else {
                    withTypeId(parser, known.ids, topic, depth);
                }
            } else {
                parser.skipChildren();
            }
        }

        private void withTypeId(JsonParser parser, TypeDeserializer ids, @Nullable String topic, int depth) {
            JsonNode node = parser.readValueAsTree();
            String property = ids.getPropertyName();
            boolean inside = ids.getTypeInclusion() == As.PROPERTY || ids.getTypeInclusion() == As.EXISTING_PROPERTY;
            if (!inside || property == null || !node.path(property).isString()) {
                return;
            }
            DeserializationContext context = mapper._deserializationContext();
            JavaType type = ids.getTypeIdResolver()
                    .typeFromId(context, node.path(property).asString());
            if (type != null) {
                try (JsonParser inner = mapper.treeAsTokens(node)) {
                    inner.nextToken();
                    object(inner, namesOf(roots.computeIfAbsent(type, this::deserializer)), topic, depth, property);
                }
            }
        }

        private void object(
                JsonParser parser, Names known, @Nullable String topic, int depth, @Nullable String typeProperty) {
            if (known.properties.isEmpty()) {
                parser.skipChildren();
                return;
            }
            Set<String> lacking = new TreeSet<>(known.properties.values());
            Set<String> unknown = new TreeSet<>();
            boolean shared = false;
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                String property = known.properties.get(name);
                if (property != null) {
                    shared = true;
                    lacking.remove(property);
                } else if (!name.equals(typeProperty) && !known.ignored.contains(name)) {
                    unknown.add(name);
                }
                ValueDeserializer<?> reader = property == null ? null : known.nested.get(property);
                if (reader != null && depth == 0) {
                    value(parser, reader, topic, 1);
                } else {
                    parser.skipChildren();
                }
            }
            if (!shared && !unknown.isEmpty()) {
                mismatch(known, unknown, topic);
            } else if (topic != null && !lacking.isEmpty()) {
                tellLacking(known.type, lacking, unknown, topic);
            }
        }

        private void mismatch(Names known, Set<String> unknown, @Nullable String topic) {
            String problem = "The payload shares no property with " + known.type.getTypeName() + ": it has "
                    + some(unknown) + ", where " + some(new TreeSet<>(known.properties.keySet()))
                    + " are needed. If a property was renamed, add its former name with @JsonAlias";
            if (onMismatch == OnProblem.REJECT) {
                throw new PayloadConversionException(problem, null);
            }
            if (topic != null && isFirst(new Logged(topic, known.type, true))) {
                log.warn("Topic " + Printable.of(topic) + ": " + problem);
            }
        }

        private void tellLacking(Class<?> type, Set<String> lacking, Set<String> unknown, String topic) {
            if (!isFirst(new Logged(topic, type, false))) {
                return;
            }
            String text =
                    "Topic " + Printable.of(topic) + ": a payload lacks " + some(lacking) + " of " + type.getTypeName();
            if (unknown.isEmpty()) {
                log.info(text + "; they are null, 0, false or what the constructor decides");
            } else {
                log.warn(text + " and has " + some(unknown)
                        + " instead. If a property was renamed, add its former name with @JsonAlias");
            }
        }

        private boolean isFirst(Logged problem) {
            return logged.size() < MAX_LOGGED && logged.add(problem);
        }

        private static List<String> some(Collection<String> names) {
            return names.stream().limit(MAX_NAMES).map(Printable::of).toList();
        }

        private Names namesOf(ValueDeserializer<?> reader) {
            Names known = names.get(reader);
            if (known == null) {
                known = reader instanceof BeanDeserializerBase bean ? namesOf(bean) : NOT_COMPARED;
                if (reader instanceof BeanDeserializerBase || reader instanceof AbstractDeserializer) {
                    known = new Names(
                            known.type,
                            known.properties,
                            known.nested,
                            known.ignored,
                            mapper._deserializationContext()
                                    .findTypeDeserializer(mapper.constructType(reader.handledType())));
                }
                names.put(reader, known);
            }
            return known;
        }

        /** The names and aliases as Jackson reads them; none for types whose JSON may have other names. */
        private Names namesOf(BeanDeserializerBase bean) {
            DeserializationConfig config = mapper.deserializationConfig();
            AnnotationIntrospector annotations = config.getAnnotationIntrospector();
            BeanDescription description = description(bean, config);
            JsonFormat.Value format = annotations.findFormat(config, description.getClassInfo());
            if (bean.hasAnySetter()
                    || bean.getValueInstantiator().canCreateUsingDelegate()
                    || bean.getValueInstantiator().canCreateUsingArrayDelegate()
                    || (format != null
                            && Boolean.TRUE.equals(
                                    format.getFeature(JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_PROPERTIES)))) {
                return NOT_COMPARED;
            }
            for (BeanPropertyDefinition property : description.findProperties()) {
                AnnotatedMember member = property.getPrimaryMember();
                if (member != null && annotations.findUnwrappingNameTransformer(config, member) != null) {
                    return NOT_COMPARED;
                }
            }
            boolean anyCase = config.isEnabled(MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES);
            Map<String, String> properties = anyCase ? new TreeMap<>(String.CASE_INSENSITIVE_ORDER) : new HashMap<>();
            Map<String, ValueDeserializer<?>> nested = new HashMap<>();
            bean.properties().forEachRemaining(property -> {
                if (!property.isInjectionOnly()) {
                    properties.put(property.getName(), property.getName());
                    property.findAliases(config)
                            .forEach(alias -> properties.put(alias.getSimpleName(), property.getName()));
                    if (!hasTypeIdsOfItsOwn(property, config)) {
                        nested.put(property.getName(), property.getValueDeserializer());
                    }
                }
            });
            Set<String> ignored = description.getIgnoredPropertyNames();
            return new Names(
                    bean.handledType(), properties, nested, ignored == null ? Set.of() : Set.copyOf(ignored), null);
        }

        private static boolean hasTypeIdsOfItsOwn(SettableBeanProperty property, DeserializationConfig config) {
            AnnotatedMember member = property.getMember();
            return !property.hasValueDeserializer()
                    || member == null
                    || config.getAnnotationIntrospector().findPolymorphicTypeInfo(config, member) != null;
        }

        private static BeanDescription description(BeanDeserializerBase bean, DeserializationConfig config) {
            ClassIntrospector introspector = config.classIntrospectorInstance();
            JavaType type = bean.getValueType();
            BeanDescription description =
                    introspector.introspectForDeserialization(type, introspector.introspectClassAnnotations(type));
            return bean instanceof BuilderBasedDeserializer
                    ? introspector.introspectForDeserializationWithBuilder(type, description)
                    : description;
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
