import { computed } from '@preact/signals'
import { boot } from '../data/boot.ts'

/** How many notices are new, for the bell, the title of the window, and the phone's bar. */
export const newNotices = computed(() => boot.value.counts.notifications)
