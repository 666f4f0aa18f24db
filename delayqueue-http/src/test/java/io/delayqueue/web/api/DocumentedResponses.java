package io.delayqueue.web.api;

import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The packaged document. The status and the body of each response in the tests are compared with it. Thread-safe. */
final class DocumentedResponses {

    static final JsonNode DOCUMENT = JsonMapper.shared().readTree(DocumentController.document());

    private static final Set<String> METHODS = Set.of("get", "post", "put", "delete");

    /** By method and path, such as {@code GET /topics/{topic}/dead-letters}. */
    private static final Map<String, JsonNode> OPERATIONS = read();

    private DocumentedResponses() {}

    static Map<String, JsonNode> operations() {
        return OPERATIONS;
    }

    private static Map<String, JsonNode> read() {
        Map<String, JsonNode> operations = new LinkedHashMap<>();
        DOCUMENT.path("paths")
                .properties()
                .forEach(path -> path.getValue().properties().stream()
                        .filter(method -> METHODS.contains(method.getKey()))
                        .forEach(method -> operations.put(
                                method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(), method.getValue())));
        return operations;
    }

    /** Fails if the document does not have the status for the operation, or has another schema for the body. */
    static void check(HttpResponse<byte[]> response) {
        String path = response.uri().getRawPath();
        if (!path.startsWith(ApiNode.BASE)) {
            return;
        }
        String asked = response.request().method() + " " + path.substring(ApiNode.BASE.length());
        OPERATIONS.entrySet().stream()
                .filter(operation -> asked.matches(operation.getKey().replaceAll("\\{\\w+}", "[^/]+")))
                .findFirst() // what has fewer variables comes first, by the order of the document
                .ifPresent(operation -> check(operation.getKey(), operation.getValue(), response));
    }

    private static void check(String name, JsonNode operation, HttpResponse<byte[]> response) {
        JsonNode documented = operation.path("responses").path(String.valueOf(response.statusCode()));
        String type = response.headers().firstValue("Content-Type").orElse("");
        JsonNode schema = documented.path("content").path(type).path("schema");
        boolean valid = response.body().length == 0
                ? documented.isObject()
                : schema.isObject()
                        && new JsonSchema(DOCUMENT)
                                .accepts(schema, JsonMapper.shared().readTree(response.body()));
        if (!valid) {
            throw new AssertionError(name + " is not documented with the status " + response.statusCode() + " and the "
                    + type + " " + new String(response.body(), java.nio.charset.StandardCharsets.UTF_8));
        }
    }
}
