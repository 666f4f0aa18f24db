package io.delayqueue.web.api;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The statuses of each operation in the packaged document. All responses in the tests are compared with it. Thread-safe. */
final class DocumentedStatuses {

    private static final Set<String> METHODS = Set.of("get", "post", "delete");

    /** By method and path, such as {@code GET /topics/{topic}/dead-letters}. */
    private static final Map<String, JsonNode> OPERATIONS = read();

    private DocumentedStatuses() {}

    static Map<String, JsonNode> operations() {
        return OPERATIONS;
    }

    private static Map<String, JsonNode> read() {
        Map<String, JsonNode> operations = new LinkedHashMap<>();
        JsonMapper.shared()
                .readTree(DocumentController.document())
                .path("paths")
                .properties()
                .forEach(path -> path.getValue().properties().stream()
                        .filter(method -> METHODS.contains(method.getKey()))
                        .forEach(method -> operations.put(
                                method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(), method.getValue())));
        return operations;
    }

    /** Fails if a response has a status that the document does not have for the operation. */
    static void check(String method, URI uri, int status) {
        if (!uri.getRawPath().startsWith(ApiNode.BASE)) {
            return;
        }
        String asked = method + " " + uri.getRawPath().substring(ApiNode.BASE.length());
        OPERATIONS.entrySet().stream()
                .filter(operation -> asked.matches(operation.getKey().replaceAll("\\{\\w+}", "[^/]+")))
                .findFirst() // what has fewer variables comes first, by the order of the document
                .filter(operation -> !operation.getValue().path("responses").has(String.valueOf(status)))
                .ifPresent(operation -> {
                    throw new AssertionError(
                            operation.getKey() + " has the response status " + status + ", but the document has "
                                    + operation.getValue().path("responses").propertyNames());
                });
    }
}
