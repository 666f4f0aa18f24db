package io.delayqueue.web.api;

import io.delayqueue.web.api.answer.Problem;
import io.delayqueue.web.api.json.JsonText;
import io.delayqueue.web.guard.Permission;
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

/** What the interface is, and what to tell whoever asks for anything else below its path. Thread-safe. */
@Controller
@RequestMapping(ApiController.BASE)
public class DocumentController extends ApiController {

    /** The server that the document names; where it is served, that is the one which serves it. */
    static final String SERVER = "/delayqueue/v1";

    private final Supplier<RequestMappingHandlerMapping> mapping;
    private final String document;

    /**
     * With what knows the paths of all controllers.
     *
     * @param mapping asked for when a path is not known
     */
    public DocumentController(Supplier<RequestMappingHandlerMapping> mapping) {
        this.mapping = mapping;
        this.document = document();
    }

    static String document() {
        try (InputStream in = DocumentController.class.getResourceAsStream("openapi.json")) {
            if (in == null) {
                throw new IllegalStateException("openapi.json is missing beside " + DocumentController.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Describes the interface, as OpenAPI 3.1. */
    @GetMapping("/openapi.json")
    @Requires({Permission.PRODUCE, Permission.CONSUME})
    public Answer<JsonText> describe(Call call) {
        return Answer.ok(new JsonText(document.replace('"' + SERVER + '"', '"' + call.base() + '"')));
    }

    /** Answers whoever asks for a path that isn't there, or by another method. */
    @RequestMapping("/**")
    @Requires({Permission.PRODUCE, Permission.CONSUME})
    public Answer<Problem> refuse(Call call) {
        HttpServletRequest request = call.request();
        String allow = allowed(request);
        Problem problem = ProblemType.METHOD_NOT_ALLOWED.problem(
                "What is at " + request.getRequestURI() + " takes " + allow + ", but not " + request.getMethod() + ".");
        return Answer.of(problem.status(), problem).header("Allow", allow);
    }

    /** Tells by which methods a path may be asked for. Spring would tell that by itself, to anybody. */
    @RequestMapping(path = "/**", method = RequestMethod.OPTIONS)
    @Requires({Permission.PRODUCE, Permission.CONSUME})
    public Answer<Void> methods(Call call) {
        return Answer.empty(200).header("Allow", allowed(call.request()));
    }

    private String allowed(HttpServletRequest request) {
        TreeSet<String> allowed = new TreeSet<>();
        for (Map.Entry<RequestMappingInfo, HandlerMethod> entry :
                mapping.get().getHandlerMethods().entrySet()) {
            if (ApiController.class.isAssignableFrom(entry.getValue().getBeanType())
                    && leadsTo(entry.getKey(), request)) {
                entry.getKey().getMethodsCondition().getMethods().stream()
                        .filter(method -> method != RequestMethod.OPTIONS)
                        .map(RequestMethod::name)
                        .forEach(allowed::add);
            }
        }
        if (allowed.isEmpty()) {
            throw ProblemType.NOT_FOUND.exception(
                    "There is nothing at " + request.getRequestURI() + ": see openapi.json for what there is.");
        }
        return String.join(", ", allowed);
    }

    private static boolean leadsTo(RequestMappingInfo info, HttpServletRequest request) {
        PathPatternsRequestCondition paths = info.getPathPatternsCondition();
        return paths != null && paths.getMatchingCondition(request) != null;
    }
}
