// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Fusion;
import io.millrace.resp.Reply;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server takes of that which fusion makes of commands. It says in {@code HELLO} who it is; one that does not, or is a
 * stranger, gets nothing fused. What a user may run is found out by having it queued in a transaction that is given up.
 */
final class FusionSupport {

    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})(\\D.*)?");

    private FusionSupport() {}

    /** Those of {@code wanted} that a server knows that answered HELLO with {@code hello}. */
    static Set<Fusion> of(Reply hello, Set<Fusion> wanted) {
        Optional<String> server = field(hello, "server");
        Matcher version = VERSION.matcher(field(hello, "version").orElse(""));
        if (server.isEmpty() || !version.matches()) {
            return Fusion.NONE;
        }
        long number = Long.parseLong(version.group(1)) * 1_000_000 + Long.parseLong(version.group(2));
        // The keys of a run may be in different slots.
        boolean anyKeys = !field(hello, "mode").orElse("").equals("cluster");
        return switch (server.get().toLowerCase(Locale.ROOT)) {
            case "redis" -> known(wanted, anyKeys, number >= 6_000_002, number >= 8_000_004);
            case "valkey" -> known(wanted, anyKeys, true, number >= 9_000_001);
            default -> Fusion.NONE;
        };
    }

    private static Set<Fusion> known(Set<Fusion> wanted, boolean anyKeys, boolean is62, boolean is84) {
        return selected(wanted, kind -> {
            FusionRule rule = FusionRule.of(kind);
            boolean known = switch (rule.since()) {
                case HELLO -> true;
                case REDIS_6_2 -> is62;
                case REDIS_8_4 -> is84;
            };
            return known && (anyKeys || rule.onOneKey());
        });
    }

    private static Set<Fusion> selected(Collection<Fusion> kinds, Predicate<Fusion> which) {
        Set<Fusion> selected = EnumSet.noneOf(Fusion.class);
        kinds.stream().filter(which).forEach(selected::add);
        return selected;
    }

    private static Optional<String> field(Reply hello, String name) {
        if (hello instanceof Reply.MapReply map) {
            for (int i = 0; i + 1 < map.keysAndValues().size(); i += 2) {
                if (text(map.keysAndValues().get(i)).equals(name)) {
                    return Optional.of(text(map.keysAndValues().get(i + 1)));
                }
            }
        }
        return Optional.empty();
    }

    private static String text(Reply reply) {
        return switch (reply) {
            case Reply.BulkString bulk -> bulk.text();
            case Reply.SimpleString simple -> simple.text();
            default -> "";
        };
    }

    /** The commands that show, queued in a transaction, whether a user may run what {@code kinds} are fused into. */
    static List<List<String>> examples(Collection<Fusion> kinds) {
        return kinds.stream().map(kind -> FusionRule.of(kind).fused()).toList();
    }

    /**
     * Whether a user may have commands of {@code kind} fused, whose {@linkplain #examples example} was answered by {@code
     * queued}. Who may use some keys only must not have commands on several keys fused: a key that is denied would take the
     * others along.
     */
    static boolean isPermitted(Fusion kind, Reply queued) {
        if (!(queued instanceof Reply.ErrorReply error)) {
            return true;
        }
        boolean ofKey = error.code().equals("NOPERM") && !isForCommand(error);
        return ofKey && FusionRule.of(kind).onOneKey();
    }

    /** Whether it is the command that a user may not run, and not the key that he may not use. */
    static boolean isForCommand(Reply.ErrorReply noPermission) {
        return noPermission.message().contains("run the");
    }
}
