package io.delayqueue.actuate.guard;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMapper;

/**
 * Where the queue's endpoints are, within the application or servlet that serves them.
 *
 * @param paths each begins with a slash and doesn't end with one
 */
public record EndpointPaths(List<String> paths) {

    /**
     * Of endpoints, whether they are exposed or not.
     *
     * @param basePath of all web endpoints; empty, or beginning with a slash
     */
    public static EndpointPaths of(String basePath, List<PathMapper> mappers, String... ids) {
        return new EndpointPaths(Stream.of(ids)
                .map(id -> basePath + "/" + PathMapper.getRootPath(mappers, EndpointId.of(id)))
                .toList());
    }

    /**
     * Whether a request goes to one of them.
     *
     * @param path decoded, and without path parameters
     */
    boolean contain(String path) {
        return paths.stream()
                .anyMatch(own ->
                        path.startsWith(own) && (path.length() == own.length() || path.charAt(own.length()) == '/'));
    }
}
