import { rebuild } from './prepare.mjs';

rebuild();
