import { becomeSmaller } from './real-images';

becomeSmaller('photos');
