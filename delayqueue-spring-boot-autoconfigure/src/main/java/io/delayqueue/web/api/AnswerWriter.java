package io.delayqueue.web.api;

import io.delayqueue.web.api.answer.Problem;
import io.delayqueue.web.api.json.Json;
import io.delayqueue.web.api.json.JsonText;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Writes answers, past the application's message converters and whatever it has set around them. Thread-safe.
 */
public final class AnswerWriter implements HandlerMethodReturnValueHandler {

    private static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";

    @Override
    public boolean supportsReturnType(MethodParameter returnType) {
        return Answer.class.isAssignableFrom(returnType.getParameterType());
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
                (Answer<?>) Objects.requireNonNull(returnValue),
                Objects.requireNonNull(webRequest.getNativeResponse(HttpServletResponse.class)));
    }

    /** Nothing of it is for a cache, nor to be taken for a page. */
    static void write(Answer<?> answer, HttpServletResponse response) throws IOException {
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
        answer.written();
    }
}
