package io.delayqueue.web.api;

import io.delayqueue.management.JsonText;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.template.SendLimits;
import io.delayqueue.web.api.json.Json;
import io.delayqueue.web.api.response.Problem;
import io.delayqueue.web.guard.Requires;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Serves the OpenAPI document, and responds to unknown paths and methods below the base path. Thread-safe. */
@Controller
@RequestMapping(ApiController.BASE)
public class DocumentController extends ApiController {

    /** The server URL in the packaged document. It is replaced by the actual base path when the document is served. */
    static final String SERVER = "/delayqueue/v1";

    private final Supplier<RequestMappingHandlerMapping> mapping;
    private final String document;

    /**
     * Creates a controller.
     *
     * @param mapping supplies the mapping of all controllers; called for unknown paths and {@code OPTIONS} requests
     * @param settings bounds of the API
     * @param limits bounds of messages
     */
    public DocumentController(Supplier<RequestMappingHandlerMapping> mapping, ApiSettings settings, SendLimits limits) {
        this.mapping = mapping;
        this.document = Json.withBounds(document(), bounds(settings, limits));
    }

    /** Returns the bounds of the document by their properties. */
    static Map<String, Long> bounds(ApiSettings settings, SendLimits limits) {
        long payload = limits.maxPayloadBytes();
        return Map.of(
                "delayqueue.http.api.max-count",
                (long) settings.maxCount(),
                "delayqueue.http.api.max-wait",
                settings.maxWait().toMillis(),
                "delayqueue.limits.max-delay",
                limits.maxDelay().toMillis(),
                "delayqueue.limits.max-payload-size",
                payload,
                "delayqueue.limits.max-payload-size in Base64",
                (payload + 2) / 3 * 4);
    }

    static String document() {
        try (InputStream in = DocumentController.class.getResourceAsStream("openapi.json")) {
            if (in == null) {
                throw new IllegalStateException(
                        "The resource openapi.json is missing in the package of " + DocumentController.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the description of this API as OpenAPI 3.1. */
    @GetMapping("/openapi.json")
    @Requires({Permission.PRODUCE, Permission.CONSUME})
    public Response<JsonText> describe(Call call) {
        return Response.ok(new JsonText(document.replace('"' + SERVER + '"', '"' + call.base() + '"')));
    }

    /** Rejects requests to an unknown path or with an unsupported method. */
    @RequestMapping("/**")
    @Requires({Permission.PRODUCE, Permission.CONSUME})
    public Response<Problem> reject(Call call) {
        HttpServletRequest request = call.request();
        String allow = allowed(request);
        Problem problem = ProblemType.METHOD_NOT_ALLOWED.problem("Path " + request.getRequestURI() + " supports "
                + allow + ", but the method was " + request.getMethod() + ".");
        return Response.of(problem.status(), problem).header("Allow", allow);
    }

    /** Returns the methods of a path. Spring's default handler would do so without authorization. */
    @RequestMapping(path = "/**", method = RequestMethod.OPTIONS)
    @Requires({Permission.PRODUCE, Permission.CONSUME})
    public Response<Void> methods(Call call) {
        return Response.<Void>empty(200).header("Allow", allowed(call.request()));
    }

    private String allowed(HttpServletRequest request) {
        TreeSet<String> allowed = new TreeSet<>();
        for (Map.Entry<RequestMappingInfo, HandlerMethod> entry :
                mapping.get().getHandlerMethods().entrySet()) {
            if (ApiController.class.isAssignableFrom(entry.getValue().getBeanType())
                    && matches(entry.getKey(), request)) {
                entry.getKey().getMethodsCondition().getMethods().stream()
                        .filter(method -> method != RequestMethod.OPTIONS)
                        .map(RequestMethod::name)
                        .forEach(allowed::add);
            }
        }
        if (allowed.isEmpty()) {
            throw ProblemType.NOT_FOUND.exception(
                    "Path " + request.getRequestURI() + " does not exist. See openapi.json for the available paths.");
        }
        return String.join(", ", allowed);
    }

    private static boolean matches(RequestMappingInfo info, HttpServletRequest request) {
        PathPatternsRequestCondition paths = info.getPathPatternsCondition();
        return paths != null && paths.getMatchingCondition(request) != null;
    }
}
