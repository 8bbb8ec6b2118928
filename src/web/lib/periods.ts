/** Periods of days such as "this_week", as the server reads them. */
export { daysOf, isPeriod, PERIODS, type Period, type Weekday } from '../../lib/written/days/periods.ts'
