// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.util.List;

/** Every library there is, one line each. */
public final class Libraries {

    public static final List<Library> ALL = List.of(
            new JedisLibrary(),
            new LettuceLibrary(),
            new RedissonLibrary(),
            new GlideLibrary(),
            new SpringLibrary(),
            new VertxLibrary(),
            new MillraceLibrary());

    private Libraries() {}
}
