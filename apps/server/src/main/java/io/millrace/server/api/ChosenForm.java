// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Chooses the media type of an answer, as the header {@code Accept} says, before the route does anything. So a request that is
 * answered with 406 has changed nothing. Only routes with {@link Forms} are checked.
 */
public final class ChosenForm implements HandlerInterceptor {

    private static final String ATTRIBUTE = ChosenForm.class.getName();

    private final Map<Method, List<MediaType>> offered = new ConcurrentHashMap<>();

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (handler instanceof HandlerMethod route) {
            List<MediaType> forms = offered.computeIfAbsent(route.getMethod(), ChosenForm::formsOf);
            if (!forms.isEmpty()) {
                request.setAttribute(ATTRIBUTE, accepted(request.getHeader("Accept"), forms));
            }
        }
        return true;
    }

    private static List<MediaType> formsOf(Method route) {
        Forms forms = route.getAnnotation(Forms.class);
        return forms == null
                ? List.of()
                : Arrays.stream(forms.value()).map(MediaType::parseMediaType).toList();
    }

    /** Returns the media type of the answer to a request. */
    static MediaType of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof MediaType chosen) {
            return chosen;
        }
        throw new IllegalStateException("the route has no @Forms");
    }

    /**
     * Returns the first of {@code offered} that the client likes most.
     *
     * @throws Refusal if the client accepts none of them
     */
    private static MediaType accepted(@Nullable String accept, List<MediaType> offered) {
        if (accept == null || accept.isEmpty() || accept.equals("*/*")) {
            return offered.getFirst();
        }
        try {
            return MediaType.parseMediaTypes(accept).stream()
                    .filter(wish -> wish.getQualityValue() > 0)
                    .sorted(Comparator.comparingDouble(MediaType::getQualityValue)
                            .reversed())
                    .flatMap(wish -> offered.stream().filter(wish::includes).limit(1))
                    .findFirst()
                    .orElseThrow(() -> new Refusal(Problem.NOT_ACCEPTABLE, "The forms are " + offered + "."));
        } catch (InvalidMediaTypeException malformed) {
            throw new Refusal(Problem.NOT_ACCEPTABLE, "The header Accept is not a list of media types.");
        }
    }
}
