package io.delayqueue.actuate.guard;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMapper;

/**
 * The paths of the queue's endpoints, relative to the application or servlet that serves them.
 *
 * @param paths each begins with a slash and does not end with one
 */
public record EndpointPaths(List<String> paths) {

    /**
     * Creates the paths of endpoints, whether they are exposed or not.
     *
     * @param basePath the base path of all web endpoints; empty, or with a leading slash
     */
    public static EndpointPaths of(String basePath, List<PathMapper> mappers, String... ids) {
        return new EndpointPaths(Stream.of(ids)
                .map(id -> basePath + "/" + PathMapper.getRootPath(mappers, EndpointId.of(id)))
                .toList());
    }

    /**
     * Whether a request is for one of the endpoints.
     *
     * @param path the decoded path without path parameters
     */
    boolean contain(String path) {
        return paths.stream()
                .anyMatch(own ->
                        path.startsWith(own) && (path.length() == own.length() || path.charAt(own.length()) == '/'));
    }
}
