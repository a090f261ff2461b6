import { becomeSmaller } from './real-images';

becomeSmaller('graphics');
