package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.management.JsonText;
import io.delayqueue.management.ManagementJson;
import io.delayqueue.web.api.request.ApiRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.response.Problem;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.http.HttpRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.core.ResolvableType;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares the packaged OpenAPI document with the controllers and their records. {@link RequestSchemaTests} compares its
 * bounds with the server, and {@link DocumentedResponses} each response of the tests with its statuses and schemas.
 */
class OpenApiDocumentTests {

    private static final JsonNode SCHEMAS = DocumentedResponses.DOCUMENT.at("/components/schemas");

    private final ApiNode node = ApiNode.shared();

    /** The methods of controllers by method and path, such as {@code GET /topics/{topic}/dead-letters}. */
    private Map<String, HandlerMethod> handlers() {
        Map<String, HandlerMethod> handlers = new TreeMap<>();
        node.context()
                .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                .getHandlerMethods()
                .forEach((info, handler) -> {
                    String path = info.getPatternValues().iterator().next();
                    if (path.startsWith(ApiNode.BASE) && !path.endsWith("/**")) {
                        String method = info.getMethodsCondition()
                                .getMethods()
                                .iterator()
                                .next()
                                .name();
                        handlers.put(method + " " + path.substring(ApiNode.BASE.length()), handler);
                    }
                });
        return handlers;
    }

    @Test
    void eachOperationIsDocumentedWithItsTypes() {
        Map<String, HandlerMethod> handlers = handlers();
        assertThat(DocumentedResponses.operations().keySet()).isEqualTo(handlers.keySet());
        handlers.forEach((name, handler) -> {
            JsonNode operation = DocumentedResponses.operations().get(name);
            Class<?> result = ResolvableType.forMethodReturnType(handler.getMethod())
                    .getGeneric(0)
                    .toClass();
            String documented = operation
                    .path("responses")
                    .optional("200")
                    .orElse(operation.at("/responses/201"))
                    .at("/content/application~1json/schema/$ref")
                    .asString("");
            assertThat(documented)
                    .as(name)
                    .endsWith(result.isRecord() && isOwn(result) ? "/" + result.getSimpleName() : "");
            Arrays.stream(handler.getMethod().getParameterTypes())
                    .filter(type -> ApiRequest.class.isAssignableFrom(type) && type != EmptyRequest.class)
                    .forEach(type -> assertThat(operation
                                    .at("/requestBody/content/application~1json/schema/$ref")
                                    .asString())
                            .as(name)
                            .endsWith(
                                    name.endsWith("/reschedule") ? "/RescheduleRequest" : "/" + type.getSimpleName()));
        });
    }

    @Test
    void eachRequestIsDocumentedWithItsFields() {
        Map<String, Class<?>> records = new TreeMap<>();
        requests().forEach(type -> collect(type, records));
        records.forEach((name, type) -> assertThat(
                        SCHEMAS.path(name).path("properties").propertyNames())
                .as(name)
                .containsExactlyElementsOf(Arrays.stream(type.getRecordComponents())
                        .map(field -> field.getName().replace("waitTime", "wait"))
                        .toList()));
    }

    /** What is written decides, because its names are not always those of the components. */
    @Test
    void eachResponseIsDocumentedWithItsFields() {
        Stream.concat(Stream.of(ResolvableType.forClass(Problem.class)), responses())
                .filter(type -> isOwn(type.toClass()))
                .forEach(type -> {
                    List<JsonNode> written = SampleRecords.of(type)
                            .map(sample -> JsonMapper.shared().readTree(ManagementJson.write(sample)))
                            .toList();
                    String name = type.toClass().getSimpleName();
                    compare(name, written, SCHEMAS.path(name));
                });
    }

    private static void compare(String place, List<JsonNode> written, JsonNode schema) {
        JsonNode documented = new JsonSchema(DocumentedResponses.DOCUMENT).resolved(schema);
        if (documented.path("type").asString("").equals("array")) {
            compare(place, written.stream().flatMap(JsonNode::valueStream).toList(), documented.path("items"));
        } else if (documented.has("properties")) {
            Set<String> names = written.stream()
                    .flatMap(each -> each.propertyNames().stream())
                    .collect(Collectors.toSet());
            assertThat(documented.path("properties").propertyNames())
                    .as(place)
                    .containsExactlyInAnyOrderElementsOf(names);
            names.forEach(name -> compare(
                    place + "." + name,
                    written.stream()
                            .flatMap(each -> each.optional(name).stream())
                            .toList(),
                    documented.path("properties").path(name)));
        } else {
            assertThat(written)
                    .as(place)
                    .allMatch(each -> documented.has("enum")
                            || new JsonSchema(DocumentedResponses.DOCUMENT).accepts(documented, each));
        }
    }

    @Test
    void eachSchemaIsUsed() {
        Map<String, Class<?>> records = new TreeMap<>();
        collect(Problem.class, records);
        requests().forEach(type -> collect(type, records));
        responses().forEach(type -> collect(type.getType(), records));
        assertThat(SCHEMAS.propertyNames())
                .filteredOn(name -> !name.equals("RescheduleRequest"))
                .isSubsetOf(records.keySet());
    }

    private Stream<Class<?>> requests() {
        return handlers().values().stream()
                .flatMap(handler -> Arrays.stream(handler.getMethod().getParameterTypes()))
                .filter(ApiRequest.class::isAssignableFrom);
    }

    private Stream<ResolvableType> responses() {
        return handlers().values().stream()
                .map(handler ->
                        ResolvableType.forMethodReturnType(handler.getMethod()).getGeneric(0));
    }

    private static boolean isOwn(Class<?> type) {
        return type.getName().startsWith("io.delayqueue.") && type != JsonText.class;
    }

    /** Adds the records that a type contains. */
    private static void collect(Type type, Map<String, Class<?>> records) {
        ResolvableType resolved = ResolvableType.forType(type);
        Stream.of(resolved.getGenerics()).forEach(each -> collect(each.getType(), records));
        Class<?> raw = resolved.toClass();
        if (raw.isRecord()
                && isOwn(raw)
                && raw != Response.class
                && raw != EmptyRequest.class
                && records.put(raw.getSimpleName(), raw) == null) {
            for (RecordComponent component : raw.getRecordComponents()) {
                collect(component.getGenericType(), records);
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> tokensAuthorizeTheOperationsThatNameTheirPermission() {
        Map<String, String> tokens =
                Map.of("produce", ApiNode.PRODUCER, "consume", ApiNode.CONSUMER, "admin", ApiNode.TOKEN);
        return DocumentedResponses.operations().entrySet().stream()
                .map(operation -> DynamicTest.dynamicTest(operation.getKey(), () -> {
                    Set<String> bearer = kinds(operation.getValue(), "bearer");
                    assertThat(kinds(operation.getValue(), "basic"))
                            .isEqualTo(bearer)
                            .isNotEmpty();
                    tokens.forEach((kind, token) -> {
                        int status = ask(operation.getKey(), token).status();
                        assertThat(status == 403).as(kind).isEqualTo(!bearer.contains(kind));
                    });
                    assertThat(ask(operation.getKey(), "no-token-of-any-kind").status())
                            .isEqualTo(401);
                }));
    }

    private ApiNode.Reply ask(String operation, String token) {
        String[] parts = operation.split(" ", 2);
        return node.exchange(node.request(parts[1].replaceAll("\\{\\w+}", "none"))
                .setHeader("Authorization", "Bearer " + token)
                .method(parts[0], HttpRequest.BodyPublishers.noBody()));
    }

    private static Set<String> kinds(JsonNode operation, String scheme) {
        return operation
                .path("security")
                .valueStream()
                .flatMap(each -> each.path(scheme).valueStream().map(JsonNode::asString))
                .collect(Collectors.toSet());
    }

    @Test
    void servedDocumentHasTheActualBasePath() {
        JsonNode served = node.get("/openapi.json").json();

        assertThat(served.path("openapi").asString()).startsWith("3.1");
        assertThat(served.path("servers").get(0).path("url").asString()).isEqualTo("/delayqueue/v1");
        assertThat(served.path("paths").propertyNames()).contains("/topics/{topic}/messages", "/openapi.json");
    }
}
