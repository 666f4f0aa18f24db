package io.delayqueue.web.api;

import io.delayqueue.web.api.json.Json;
import io.delayqueue.web.api.json.JsonText;
import io.delayqueue.web.api.response.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Writes responses directly, without the application's message converters and response advices. Thread-safe. */
public final class ResponseWriter implements HandlerMethodReturnValueHandler {

    private static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";

    @Override
    public boolean supportsReturnType(MethodParameter returnType) {
        return Response.class.isAssignableFrom(returnType.getParameterType());
    }

    @Override
    public void handleReturnValue(
            @Nullable Object returnValue,
            MethodParameter returnType,
            ModelAndViewContainer mavContainer,
            NativeWebRequest webRequest)
            throws IOException {
        mavContainer.setRequestHandled(true);
        write(
                (Response<?>) Objects.requireNonNull(returnValue),
                Objects.requireNonNull(webRequest.getNativeResponse(HttpServletResponse.class)));
    }

    /** Writes the response with headers against caching and against MIME sniffing. */
    static void write(Response<?> answer, HttpServletResponse response) throws IOException {
        response.setStatus(answer.status());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        answer.headers().forEach(response::setHeader);
        Object body = answer.body();
        if (body != null) {
            byte[] bytes =
                    body instanceof JsonText json ? json.text().getBytes(StandardCharsets.UTF_8) : Json.write(body);
            response.setContentType(body instanceof Problem ? PROBLEM : JSON);
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        }
        response.flushBuffer();
        answer.written().run();
    }
}
