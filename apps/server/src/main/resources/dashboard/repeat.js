// SPDX-License-Identifier: Apache-2.0
// Repeats an action, such as a request, while the page is visible.

/**
 * Calls `action` now, and again `millis` after its end. Two calls never overlap, so an older answer cannot replace a newer one.
 * Returns two functions: `now` calls the action as soon as possible, and `end` ends the repetition.
 */
export function repeat(action, millis) {
    let timer = 0;
    let running = false;
    let again = false;
    let ended = false;

    async function run() {
        clearTimeout(timer);
        again = running;
        if (running || ended || document.hidden) {
            return;
        }
        running = true;
        try {
            await action();
        } finally {
            running = false;
            if (!ended) {
                timer = setTimeout(run, again ? 0 : millis);
            }
        }
    }

    document.addEventListener('visibilitychange', run);
    run();
    return {
        now: run,
        end() {
            ended = true;
            clearTimeout(timer);
            document.removeEventListener('visibilitychange', run);
        },
    };
}
